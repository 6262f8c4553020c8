package app_test

import (
	"crypto/rsa"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
)

// town is a program that serves three practices, and three applications that
// call it. Nothing is under way while its clock moves: the time of a call is
// the time of whatever raced with it, and of nothing else.
type town struct {
	*service
	auditor      *app.Engine
	clock        *commandtest.Clock
	moving       sync.RWMutex // held to read by what happens at a time
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
	w.service = start(t, db.URL, func(c *app.Config) { c.Now = w.clock.Now })
	auditor, err := app.Open(t.Context(), app.Config{DatabaseURL: strings.Replace(db.URL, postgres.AppRole, postgres.AuditRole, 1)})
	must(t, err)
	t.Cleanup(auditor.Close)
	w.auditor = auditor
	must(t, w.Desk.MarkPatientScoped(t.Context(), commands.MarkPatientScoped{Application: w.integrator.ID}))
	w.applications = []bearertest.Application{w.integrator, w.register(t, bearertest.StrangersKey()), w.register(t, bearertest.Key())}
	for _, integrator := range w.applications {
		w.grant(t, integrator.ID)
	}
	for _, tenant := range townTenants {
		w.found(t, tenant)
	}
	return w
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

// withheld is what no application may call from the beginning.
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
