package app_test

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/httpapi/httpapitest"
	"frontdesk/adapters/notary"
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
	"frontdesk/domain/proof"
	"frontdesk/domain/request"
	"frontdesk/domain/site"
)

// The practices of generated calls. Elm Street takes no medical requests at the moment. Oak
// Lane has never enabled an application, and Ash Road has disabled it again.
const (
	elm, oak, ash = "elm-street", "oak-lane", "ash-road"
	nowhere       = "nowhere" // is no practice
)

// generator makes random calls of a seed, one after the other, and compares each answer with
// the description.
type generator struct {
	*app.App
	t        *testing.T
	random   *rand.Rand
	contract *httpapitest.Contract
	clock    *commandtest.Clock
	client   *http.Client

	portal, hasty bearertest.Application // only the hasty one calls too often
	patient       patient.ID
	site          site.ID
	request       request.ID

	made    int
	reached httpapitest.Reached
}

func newGenerator(t *testing.T, seed uint64) *generator {
	t.Helper()
	contract, err := httpapitest.NewContract()
	must(t, err)
	g := &generator{
		t: t, random: rand.New(rand.NewPCG(seed, 0)), contract: contract, clock: commandtest.NewClock(time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC)),
		client: &http.Client{Timeout: time.Minute}, reached: httpapitest.Reached{},
	}
	t.Cleanup(g.client.CloseIdleConnections)
	db := postgrestest.New(t)
	g.App, err = app.New(t.Context(), app.Config{
		DatabaseURL: db.URL, Listen: "127.0.0.1:0", APIDomain: "frontdesk.test", DefaultTenant: elm, Now: g.clock.Now, RateLimit: callsASecond,
		AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, MasterKeys: sealing.NewRing(sealing.MasterKey{1}),
	})
	must(t, err)
	g.runs(g.Run)
	g.furnish()
	g.sign(strings.Replace(db.URL, postgres.AppRole, postgres.SignerRole, 1))
	return g
}

// runs runs a part of the service until the test ends.
func (g *generator) runs(run func(context.Context) error) {
	ctx, stop := context.WithCancel(context.WithoutCancel(g.t.Context()))
	var running sync.WaitGroup
	running.Go(func() { _ = run(ctx) })
	g.t.Cleanup(func() { stop(); running.Wait() })
}

// callsASecond is the limit of each application.
const callsASecond = 3

func (g *generator) furnish() {
	g.t.Helper()
	ctx, desk := g.t.Context(), g.Desk
	g.portal, g.hasty = g.register(), g.register()
	for _, tenant := range []string{elm, oak, ash} {
		must(g.t, desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: tenant, Name: tenant}))
	}
	for _, app := range []bearertest.Application{g.portal, g.hasty} {
		must(g.t, desk.EnableApplication(ctx, commands.EnableApplication{Tenant: elm, Application: app.ID}))
	}
	must(g.t, desk.EnableApplication(ctx, commands.EnableApplication{Tenant: ash, Application: g.portal.ID}))
	must(g.t, desk.DisableApplication(ctx, commands.DisableApplication{Tenant: ash, Application: g.portal.ID}))
	var err error
	g.patient, err = desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: elm, Name: "Ann Archer"})
	must(g.t, err)
	g.site, err = desk.AddSite(ctx, commands.AddSite{Tenant: elm, Name: "Main"})
	must(g.t, err)
	by, err := desk.RegisterStaff(ctx, commands.RegisterStaff{Tenant: elm, Username: "dr.lee", Name: "Dr Lee", Email: "lee@elm.example"})
	must(g.t, err)
	g.request, err = desk.SubmitPatientRequest(ctx, commands.SubmitPatientRequest{Tenant: elm, Submission: request.Submission{
		Patient: g.patient, Application: g.portal.ID, Type: request.Admin, Requester: request.ByPatient,
		Response: []request.Answer{{Question: "requestDetails", Answer: "Is my form ready?"}},
	}})
	must(g.t, err)
	must(g.t, desk.CompletePatientRequest(ctx, commands.CompletePatientRequest{
		Tenant: elm, Request: g.request, By: by, Completion: request.Completion{Outcome: request.Replied, Answer: "It is ready."},
	}))
	must(g.t, desk.PauseRequestType(ctx, commands.PauseRequestType{Tenant: elm, RequestType: request.Medical, Until: g.clock.Now().Add(100 * 24 * time.Hour)}))
}

// register registers an application that may call every endpoint.
func (g *generator) register() bearertest.Application {
	g.t.Helper()
	keys := bearertest.NewServer(nil)
	g.t.Cleanup(keys.Close)
	ctx := g.t.Context()
	id, err := g.Desk.RegisterApplication(ctx, commands.RegisterApplication{Name: "App", JWKSURL: keys.URL})
	must(g.t, err)
	registered := bearertest.NewApplication(id)
	keys.Publish(registered.JWKS())
	for _, endpoint := range access.Grantable() {
		for _, mode := range []application.Mode{application.ApplicationRestricted, application.UserRestricted} {
			must(g.t, g.Desk.GrantEndpoint(ctx, commands.GrantEndpoint{Application: id, Grant: application.Grant{Endpoint: endpoint, Mode: mode}}))
		}
	}
	must(g.t, g.Desk.SetWebhook(ctx, commands.SetWebhook{Application: id, Event: application.RecordOpened, URL: "https://127.0.0.1:9/"}))
	return registered
}

// sign waits until the log of Elm Street has a checkpoint. Oak Lane, which enables the
// application afterwards, gets none, because the signer has ended.
func (g *generator) sign(database string) {
	g.t.Helper()
	private, err := notary.MakeKey("frontdesk.test", proof.Salt{1})
	must(g.t, err)
	key, err := notary.ParseKey(private)
	must(g.t, err)
	ctx, stop := context.WithCancel(g.t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		_ = app.Sign{Now: clock.System, DatabaseURL: database, Key: key, Dir: g.t.TempDir(), Every: 50 * time.Millisecond, Log: slog.New(slog.DiscardHandler)}.Run(ctx)
	})
	checkpoint := apiCall{http.MethodGet, "/transactional-api/application/checkpoint"}
	clocktest.Eventually(g.t, func() bool {
		g.clock.Pass(time.Second)
		return g.send(g.sound(checkpoint)).Status == http.StatusOK
	}, "a checkpoint is signed")
	stop()
	running.Wait()
	must(g.t, g.Desk.RegisterPractice(g.t.Context(), commands.RegisterPractice{Tenant: unsigned, Name: unsigned}))
	must(g.t, g.Desk.EnableApplication(g.t.Context(), commands.EnableApplication{Tenant: unsigned, Application: g.portal.ID}))
}

// unsigned is a practice whose log has no checkpoint.
const unsigned = "ivy-close"

// booked is a new appointment, whose patient is called in if the call is about ending that.
func (g *generator) booked(calledIn bool) appointment.ID {
	g.t.Helper()
	ctx := g.t.Context()
	visit, err := g.Desk.BookAppointment(ctx, commands.BookAppointment{Tenant: elm, Patient: g.patient, Site: g.site, At: g.clock.Now()})
	must(g.t, err)
	if calledIn {
		must(g.t, g.Desk.CallInPatient(ctx, commands.CallInPatient{Tenant: elm, Appointment: visit}))
	}
	return visit
}
