//go:build prove

package app_test

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// The size of a large practice.
const (
	largePatients     = 30_000
	largeRequests     = 200_000
	largeAppointments = 400 // of today, at two sites
	largeUsers        = 16
)

// large is a large practice that is served.
type large struct {
	*service
	pool     *pgxpool.Pool
	store    *eventstore.Store
	members  []staff.ID
	patients []patient.ID
	sites    []site.ID
}

// newLarge appends everything as the program does, 32 at a time, before anything serves,
// and waits until the read models show it.
func newLarge(t *testing.T) *large {
	t.Helper()
	db := postgrestest.New(t)
	pool, err := postgres.NewPool(context.WithoutCancel(t.Context()), db.URL, 16)
	must(t, err)
	t.Cleanup(pool.Close)
	codec, err := event.NewCodec(domain.Events()...)
	must(t, err)
	keys := &keyring.Keyring{DB: postgres.On(pool), Codec: codec, Masters: sealing.NewRing(sealing.MasterKey{1}), Now: clock.System}
	must(t, keys.Start(t.Context()))
	l := &large{pool: pool, store: &eventstore.Store{DB: postgres.On(pool), Codec: codec, Keys: keys, AtOnce: projections.AtOnce(), Now: clock.System}}
	t.Cleanup(l.store.Close)
	l.seed(t)
	program, err := app.New(t.Context(), app.Config{
		DatabaseURL: db.URL, Listen: "127.0.0.1:0", PrivateListen: "127.0.0.1:0", APIDomain: "frontdesk.test",
		AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, MasterKeys: sealing.NewRing(sealing.MasterKey{1}),
	})
	must(t, err)
	l.service = &service{App: program, db: pool}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() {
		if err := program.Run(ctx); err != nil {
			t.Errorf("run: %v", err)
		}
	})
	t.Cleanup(func() { stop(); running.Wait() })
	for shown := 0; shown < largeRequests; time.Sleep(time.Second) {
		must(t, pool.QueryRow(t.Context(), `SELECT count(*) FROM inbox`).Scan(&shown))
	}
	_, err = db.AdminPool(t).Exec(t.Context(), `VACUUM ANALYZE`) // as autovacuum does sooner or later
	must(t, err)
	return l
}

func (l *large) desk() commands.Desk {
	return commands.Desk{Store: l.store, Passwords: unhashed{}, Patients: projections.Patients{DB: l.pool}, Now: clock.System}
}

// seed creates the practice. One in forty of its requests is unassigned, and one in forty is
// assigned; the others are done.
func (l *large) seed(t *testing.T) {
	t.Helper()
	begun, desk := clock.Start(), l.desk()
	must(t, desk.RegisterPractice(t.Context(), commands.RegisterPractice{Tenant: "elm-street", Name: "Elm Street Surgery"}))
	for n := range largeUsers {
		id, err := desk.RegisterStaff(t.Context(), commands.RegisterStaff{
			Tenant: "elm-street", Username: fmt.Sprint("user", n), Name: fmt.Sprint("User ", n), Email: "user@elm.example", Roles: staff.Roles{staff.Receptionist}, Password: "coffee tin fish",
		})
		must(t, err)
		l.members = append(l.members, id)
	}
	for _, name := range []string{"High Street", "Mill Lane"} {
		id, err := desk.AddSite(t.Context(), commands.AddSite{Tenant: "elm-street", Name: name})
		must(t, err)
		l.sites = append(l.sites, id)
	}
	l.patients = make([]patient.ID, largePatients)
	many(t, largePatients, func(ctx context.Context, n int) (err error) {
		l.patients[n], err = desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: "elm-street", Name: nameOf(n), BirthDate: bornOf(n)})
		return err
	})
	t.Logf("%d patients after %v", largePatients, begun.Elapsed().Round(time.Second))
	many(t, largeRequests, l.request)
	zone, err := time.LoadLocation(practice.DefaultTimeZone)
	must(t, err)
	year, month, day := clock.System().In(zone).Date()
	opening := time.Date(year, month, day, 8, 0, 0, 0, zone)
	many(t, largeAppointments, func(ctx context.Context, n int) error {
		_, err := desk.BookAppointment(ctx, commands.BookAppointment{
			Tenant: "elm-street", Patient: l.patients[n*7], Site: l.sites[n%len(l.sites)], At: opening.Add(time.Duration(n) * 90 * time.Second),
		})
		return err
	})
	t.Logf("everything after %v", begun.Elapsed().Round(time.Second))
}

// request appends one, with its later events.
func (l *large) request(ctx context.Context, n int) error {
	who, member := l.patients[n*13%largePatients], l.members[n%largeUsers]
	events := []event.Event{request.Submitted{
		Patient: who, Type: request.Medical, Requester: request.ByPatient, HighPriority: n%50 == 0,
		Response: []request.Answer{{Question: "description", Answer: "My back has hurt since Monday, and nothing helps."}, {Question: "duration", Answer: "3 days"}},
	}}
	if n%40 != 0 {
		events = append(events, request.Taken{Patient: who, By: member})
	}
	if n%40 > 1 {
		events = append(events, request.Completed{Patient: who, By: member, Outcome: request.Replied, Text: "We have called."})
	}
	_, err := l.store.Append(ctx, event.Change{Stream: request.StreamOf("elm-street", request.ID{UUID: event.NewID()}), Events: events})
	return err
}

// many repeats something the given number of times, 32 at once.
func many(t *testing.T, times int, do func(ctx context.Context, n int) error) {
	t.Helper()
	var next atomic.Int64
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			for n := int(next.Add(1)) - 1; n < times; n = int(next.Add(1)) - 1 {
				if err := do(t.Context(), n); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

var (
	firstNames = []string{"Ann", "Bob", "Chidi", "Dilys", "Emeka", "Fatima", "Gwen", "Hamid", "Iris", "Jamal", "Kirsty", "Liam", "Maria", "Nia", "Omar", "Priya", "Quentin", "Rhys", "Siân", "Tom"}
	lastNames  = []string{"Archer", "Baker", "Campbell", "Davies", "Evans", "Fraser", "Green", "Hughes", "Iqbal", "Jones", "Khan", "Lewis", "Morgan", "Nowak", "O’Neill", "Patel", "Quinn", "Roberts", "Smith", "Taylor"}
)

func nameOf(n int) string {
	return firstNames[n%20] + " " + firstNames[n/400%20] + " " + lastNames[n/20%20]
}

func bornOf(n int) string {
	return time.Date(1930, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n).Format(time.DateOnly)
}

// unhashed keeps no passwords: the tests begin all sessions.
type unhashed struct{}

func (unhashed) Keep(context.Context, string, staff.ID, string) (staff.PasswordSet, error) {
	return staff.PasswordSet{Credential: staff.CredentialID{UUID: event.NewID()}}, nil
}

func (unhashed) Discard(context.Context, string, staff.ID, staff.CredentialID) error { return nil }

// session signs a member in, and returns the session's token.
func (s *service) session(t *testing.T, member staff.ID) string {
	t.Helper()
	var holder signin.Holder
	must(t, s.db.QueryRow(t.Context(), `SELECT staff, credential FROM staff WHERE staff = $1`, member).Scan(&holder.Staff, &holder.Credential))
	sessions := signin.Sessions{DB: postgres.On(s.db), Idle: time.Hour, Limit: time.Hour, Now: clock.System}
	token, _, err := sessions.Begin(t.Context(), "elm-street", holder, "a test")
	must(t, err)
	return token
}
