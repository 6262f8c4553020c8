//go:build prove

package main_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk.example/client"
	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// Where the town's service is reached. The attacked practice is one of them.
const (
	apiDomain = "api.test"
	pagesHost = "auth.test"
	attacked  = "elm"
)

var practices = []string{attacked, "oak", "ash"}

// staffOfAPractice sign in at the attacked practice and at the next one.
const staffOfAPractice = 12

// integrator is an application, with the practice and the patients that it calls
// about.
type integrator struct {
	ID      application.ID
	KeyFile string
	Tenant  string
	Patient patient.ID // the patient of its requests
	Record  patient.ID // the patient whose record it reads
}

// member is a person who signs in.
type member struct{ Tenant, Username, Password string }

// town is a database with practices, applications that publish keys, and staff.
type town struct {
	t        *testing.T
	engine   *app.Engine
	database *embedded.Server
	cores    cores
	honestly []integrator
	attacker integrator // enabled only at the attacked practice
	hanging  integrator // whose key set never arrives
	staff    []member
}

func newTown(t *testing.T) *town {
	t.Helper()
	in := &town{t: t, database: postgrestest.Cluster(t), cores: shareCores(t)}
	var err error
	in.engine, err = app.Open(t.Context(), app.Config{DatabaseURL: in.database.URL("frontdesk", "frontdesk_app"), AllowNetwork: loopback, MasterKeys: sealing.NewRing(theMasterKey)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(in.engine.Close)
	ctx := event.WithMetadata(t.Context(), event.Metadata{Actor: event.Actor{Kind: event.ByService, ID: "test"}})
	for _, tenant := range practices {
		in.must(in.engine.Desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: tenant, Name: tenant}))
		in.honestly = append(in.honestly, in.integrate(ctx, tenant, "honest at "+tenant, publishKeys))
	}
	in.attacker = in.integrate(ctx, attacked, "attacker", publishKeys)
	in.hanging = in.integrate(ctx, attacked, "hanging", hangKeys)
	in.fillRecords(ctx)
	in.hireStaff(ctx)
	in.must(in.engine.Drain(ctx))
	in.cores.settle(t, in.database)
	return in
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

func (in *town) must(err error) {
	in.t.Helper()
	if err != nil {
		in.t.Fatal(err)
	}
}

// integrate registers an application that may do everything at one practice.
func (in *town) integrate(ctx context.Context, tenant, name string, publish func(*testing.T, []byte) string) integrator {
	in.t.Helper()
	i, desk := integrator{Tenant: tenant, KeyFile: filepath.Join(in.t.TempDir(), "key.pem")}, in.engine.Desk
	in.must(client.GenerateKey(i.KeyFile))
	signer, err := testworld.Signer("", i.KeyFile)
	in.must(err)
	i.ID, err = desk.RegisterApplication(ctx, commands.RegisterApplication{Name: name, JWKSURL: publish(in.t, signer.KeySet())})
	in.must(err)
	for _, endpoint := range access.Grantable() {
		grant := application.Grant{Endpoint: endpoint, Mode: application.ApplicationRestricted}
		in.must(desk.GrantEndpoint(ctx, commands.GrantEndpoint{Application: i.ID, Grant: grant}))
	}
	in.must(desk.EnableApplication(ctx, commands.EnableApplication{Tenant: tenant, Application: i.ID}))
	for _, id := range []*patient.ID{&i.Patient, &i.Record} {
		*id, err = desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: tenant, Name: "Ann Archer"})
		in.must(err)
	}
	return i
}

func publishKeys(t *testing.T, set []byte) string {
	server := bearertest.NewServer(set)
	t.Cleanup(server.Close)
	return server.URL
}

// hangKeys accepts connections and sends nothing.
func hangKeys(t *testing.T, _ []byte) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var held []net.Conn
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			held = append(held, conn)
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		<-done
		for _, conn := range held {
			conn.Close()
		}
	})
	return "http://" + listener.Addr().String()
}

// fillRecords gives honest applications short records to read, and the attacker
// one of 4 MiB.
func (in *town) fillRecords(ctx context.Context) {
	in.t.Helper()
	for _, i := range in.honestly {
		in.note(ctx, i, "Has a cough.")
	}
	for range 5 {
		in.note(ctx, in.attacker, strings.Repeat("<cough> & \"cold\" ", 50_000))
	}
}

func (in *town) note(ctx context.Context, i integrator, text string) {
	in.t.Helper()
	_, err := in.engine.Desk.CreateNote(ctx, commands.CreateNote{Tenant: i.Tenant, Patient: i.Record, Text: text})
	in.must(err)
}

func (in *town) hireStaff(ctx context.Context) {
	in.t.Helper()
	for n := range 2 * staffOfAPractice {
		m := member{Tenant: practices[n%2], Username: fmt.Sprintf("staff-%d", n), Password: "a walnut in the soup " + rand.Text()}
		_, err := in.engine.Desk.RegisterStaff(ctx, commands.RegisterStaff{
			Tenant: m.Tenant, Username: m.Username, Name: m.Username, Email: m.Username + "@example.org", Password: m.Password,
		})
		in.must(err)
		in.staff = append(in.staff, m)
	}
}
