package auditing_test

import (
	"context"
	"crypto/rsa"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
)

// town is a program that serves three practices, and three applications that
// call it. Its clock only moves while nothing is under way, so a call has the time of
// whatever raced with it, and of nothing else.
type town struct {
	*app.App
	db           *pgxpool.Pool
	auditor      *app.Engine
	clock        *commandtest.Clock
	moving       sync.RWMutex // held for reading by actions at an instant
	client       *http.Client
	applications []bearertest.Application
	practices    map[string]clinic

	mu   sync.Mutex
	made []madeCall
}

func newTown(t *testing.T) *town {
	t.Helper()
	db := postgrestest.New(t)
	w := &town{
		clock:     commandtest.NewClock(time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC)),
		client:    &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: callers}},
		practices: map[string]clinic{},
	}
	t.Cleanup(w.client.CloseIdleConnections)
	w.serve(t, db.URL)
	auditor, err := app.Open(t.Context(), app.Config{
		DatabaseURL: strings.Replace(db.URL, postgres.AppRole, postgres.AuditRole, 1), MasterKeys: sealing.NewRing(sealing.MasterKey{1}),
	})
	must(t, err)
	t.Cleanup(auditor.Close)
	w.auditor = auditor
	w.applications = []bearertest.Application{
		w.register(t, bearertest.Key()), w.register(t, bearertest.StrangersKey()), w.register(t, bearertest.Key()),
	}
	for _, integrator := range w.applications {
		w.grant(t, integrator.ID)
	}
	for _, tenant := range townTenants {
		w.found(t, tenant)
	}
	return w
}

// serve runs the program until the test ends.
func (w *town) serve(t *testing.T, url string) {
	t.Helper()
	program, err := app.New(t.Context(), app.Config{
		DatabaseURL: url, Listen: "127.0.0.1:0", APIDomain: "frontdesk.test", DefaultTenant: townTenants[0],
		AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, MasterKeys: sealing.NewRing(sealing.MasterKey{1}), Now: w.clock.Now,
		RateLimit: app.NoLimit, // the clock does not move while many calls are made
	})
	must(t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { _ = program.Run(ctx) })
	t.Cleanup(func() { stop(); running.Wait() })
	w.App = program
	w.db, err = postgres.NewPool(t.Context(), url, 0)
	must(t, err)
	t.Cleanup(w.db.Close)
}

// register is one more application, with a key.
func (w *town) register(t *testing.T, key *rsa.PrivateKey) bearertest.Application {
	t.Helper()
	keys := bearertest.NewServer(nil)
	t.Cleanup(keys.Close)
	id, err := w.Desk.RegisterApplication(t.Context(), commands.RegisterApplication{Name: "App", JWKSURL: keys.URL, PatientScoped: true})
	must(t, err)
	integrator := bearertest.NewApplication(id)
	integrator.Key = key
	keys.Publish(integrator.JWKS())
	return integrator
}

// withheld are the endpoints that no application may call at the beginning.
var withheld = []application.Grant{
	{Endpoint: access.OpenCareRecord, Mode: application.ApplicationRestricted},
	{Endpoint: access.ClearCallIn, Mode: application.UserRestricted},
}

func (w *town) grant(t *testing.T, id application.ID) {
	t.Helper()
	for _, endpoint := range access.Grantable() {
		for _, mode := range townModes {
			grant := application.Grant{Endpoint: endpoint, Mode: mode}
			if !slices.Contains(withheld, grant) {
				must(t, w.Desk.GrantEndpoint(t.Context(), commands.GrantEndpoint{Application: id, Grant: grant}))
			}
		}
	}
}

func one[T any](random *rand.Rand, of ...T) T { return of[random.IntN(len(of))] }

// The practices, and the people of each: different people with the same usernames, of whom
// the last has left, and one patient by the same identifier (D18).
var (
	townTenants = []string{"elm-street", "oak-lane", "ash-road"}
	townStaff   = []string{"dr.lee", "kim", "sam", "robin"}
	townTwin    = patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a1")}
)

// clinic is the data of a practice that calls may name.
type clinic struct {
	patients []patient.ID
	site     site.ID
	visit    appointment.ID
	requests []request.ID // each application has sent one, about the twin; they are answered
}

// found sets a practice up. Only Dr Lee may open the records of its patients, except the
// twin's.
func (w *town) found(t *testing.T, tenant string) {
	t.Helper()
	must(t, w.Desk.RegisterPractice(t.Context(), commands.RegisterPractice{Tenant: tenant, Name: tenant}))
	w.practices[tenant] = w.furnish(t, tenant)
	for i, username := range townStaff {
		var roles staff.Roles
		if i == 0 {
			roles = staff.Roles{staff.Manager}
		}
		_, err := w.Desk.RegisterStaff(t.Context(), commands.RegisterStaff{
			Tenant: tenant, Username: username, Name: username, Email: "a@example.org", Roles: roles})
		must(t, err)
		w.authorise(t, tenant, username)
	}
	for _, id := range w.practices[tenant].patients[1:] {
		must(t, w.Desk.RestrictPatientRecord(t.Context(), commands.RestrictPatientRecord{Tenant: tenant, Patient: id, Usernames: townStaff[:1]}))
	}
	w.answer(t, tenant)
	leaver := townStaff[len(townStaff)-1]
	must(t, w.Desk.DeactivateStaff(t.Context(), commands.DeactivateStaff{Tenant: tenant, Username: leaver}))
}

// furnish is three patients, and a visit of the first.
func (w *town) furnish(t *testing.T, tenant string) (c clinic) {
	t.Helper()
	for _, id := range []patient.ID{townTwin, {}, {}} {
		id, err := w.Desk.RegisterPatient(t.Context(), commands.RegisterPatient{Tenant: tenant, Patient: id, Name: "Ann"})
		must(t, err)
		c.patients = append(c.patients, id)
	}
	var err error
	c.site, err = w.Desk.AddSite(t.Context(), commands.AddSite{Tenant: tenant, Name: "Main"})
	must(t, err)
	c.visit, err = w.Desk.BookAppointment(t.Context(), commands.BookAppointment{Tenant: tenant, Patient: townTwin, Site: c.site, At: w.clock.Now()})
	must(t, err)
	return c
}

// answer answers a request of each application.
func (w *town) answer(t *testing.T, tenant string) {
	t.Helper()
	practice := w.practices[tenant]
	by, err := w.Staff.StaffByUsername(t.Context(), tenant, townStaff[0])
	must(t, err)
	for _, integrator := range w.applications {
		id, err := w.Desk.SubmitPatientRequest(t.Context(), commands.SubmitPatientRequest{Tenant: tenant, Submission: request.Submission{
			Patient: townTwin, Application: integrator.ID, Type: request.Admin, Requester: request.ByPatient,
			Response: []request.Answer{{Question: "requestDetails", Answer: "Is my form ready?"}},
		}})
		must(t, err)
		must(t, w.Desk.CompletePatientRequest(t.Context(), commands.CompletePatientRequest{
			Tenant: tenant, Request: id, By: by, Completion: request.Completion{Outcome: request.Replied, Answer: "It is ready."},
		}))
		practice.requests = append(practice.requests, id)
	}
	w.practices[tenant] = practice
}

// authorise enables each application and lets it act for a member of staff: for
// Sam on one patient only. It takes its time, so that the first authorisations
// end soon after the last are given.
func (w *town) authorise(t *testing.T, tenant, username string) {
	t.Helper()
	for _, integrator := range w.applications {
		must(t, w.Desk.EnableApplication(t.Context(), commands.EnableApplication{Tenant: tenant, Application: integrator.ID}))
		var err error
		if username == "sam" {
			_, err = w.Desk.GrantPatientScopedAuthorisation(t.Context(), commands.GrantPatientScopedAuthorisation{
				Tenant: tenant, Application: integrator.ID, Username: username, Patient: townTwin})
		} else {
			_, err = w.Desk.GrantUserAuthorisation(t.Context(), commands.GrantUserAuthorisation{Tenant: tenant, Application: integrator.ID, Username: username})
		}
		must(t, err)
		w.clock.Pass(20 * time.Minute)
	}
}

func (w *town) count(t *testing.T, sql string) (n int) {
	t.Helper()
	must(t, w.db.QueryRow(t.Context(), sql).Scan(&n))
	return n
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
