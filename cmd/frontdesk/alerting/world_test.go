package alerting_test

import (
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/broker/brokertest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/signingkey"
)

// world is a practice under constant calls, and its operator's processes: serve and sign, in
// the process of the test, and retain once.
type world struct {
	t     *testing.T
	db    *postgrestest.Database
	owner *pgxpool.Pool // of a superuser, who may do everything to the database

	config     app.Config
	serve      []*process
	addresses  atomic.Pointer[[]string] // of the servers, for callers
	sign       *process
	relay      *process // nil until there is one, like its broker
	broker     *brokertest.Server
	exporters  []*process
	says       func(name string, value float64) // has the last exporter say so
	signed     app.Sign
	integrator bearertest.Application
	patient    string
	receiver   receiver

	unlock   func() // ends [world.locks]
	release  func() // ends [world.holds]
	staged   signingkey.KID
	observed []phase
}

// receiver is the application's.
type receiver struct {
	*httptest.Server
	gate    atomic.Pointer[chan struct{}] // while it is closed, no call is answered
	refuses atomic.Bool
}

func (r *receiver) block() {
	closed := make(chan struct{})
	r.gate.Store(&closed)
}

func (r *receiver) unblock() {
	if closed := r.gate.Swap(nil); closed != nil {
		close(*closed)
	}
}

// newWorld sets everything up without faults, except [world.retain]. Edits change how it
// serves.
func newWorld(t *testing.T, edits ...func(*app.Config)) *world {
	t.Helper()
	w := &world{t: t, db: postgrestest.New(t)}
	w.owner = w.db.SuperuserPool(t)
	w.listens()
	roots := x509.NewCertPool()
	roots.AddCert(w.receiver.Certificate())
	w.config = app.Config{
		DatabaseURL: w.db.URL, Listen: "127.0.0.1:0", PrivateListen: "127.0.0.1:0", APIDomain: "frontdesk.test",
		CallConnections: 4, BackgroundConnections: 10, UploadConnections: 1, // the cluster is shared with all other tests
		MasterKeys: sealing.NewRing(sealing.MasterKey{1}), RootCAs: roots, AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	}
	for _, edit := range edits {
		if edit != nil {
			edit(&w.config)
		}
	}
	w.onboard()
	w.serving(w.serves())
	w.signs()
	w.works(0, usualPause)
	w.until("all is signed", signed)
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// as does something behind the program's back.
func (w *world) as(sql string, args ...any) {
	w.t.Helper()
	_, err := w.owner.Exec(w.t.Context(), sql, args...)
	w.must(err)
}

func (w *world) listens() {
	w.receiver.Server = httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if closed := w.receiver.gate.Load(); closed != nil {
			select {
			case <-*closed:
			case <-r.Context().Done():
			}
		}
		if w.receiver.refuses.Load() {
			rw.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		rw.WriteHeader(http.StatusNoContent)
	}))
	w.t.Cleanup(func() { w.receiver.unblock(); w.receiver.Close() })
}

// with works on the database as a role.
func (w *world) with(databaseURL string, do func(*app.Engine), edits ...func(*app.Config)) {
	w.t.Helper()
	config := app.Config{DatabaseURL: databaseURL, MasterKeys: w.config.MasterKeys, AllowNetwork: w.config.AllowNetwork}
	for _, edit := range edits {
		edit(&config)
	}
	engine, err := app.Open(w.t.Context(), config)
	w.must(err)
	defer engine.Close()
	do(engine)
}

func (w *world) onboard() {
	w.with(w.db.URL, func(engine *app.Engine) { w.found(engine.Desk) })
}

// found makes a practice, its patient, and the application that calls.
func (w *world) found(desk commands.Desk) {
	ctx := w.t.Context()
	keys := bearertest.NewServer(nil)
	w.t.Cleanup(keys.Close)
	w.must(desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: "elm-street", Name: "Elm Street"}))
	id, err := desk.RegisterApplication(ctx, commands.RegisterApplication{Name: "Integrator", JWKSURL: keys.URL})
	w.must(err)
	w.integrator = bearertest.NewApplication(id)
	keys.Publish(w.integrator.JWKS())
	for _, endpoint := range []application.EndpointName{access.CreatePatientRequest, access.OpenCareRecord} {
		grant := application.Grant{Endpoint: endpoint, Mode: application.ApplicationRestricted}
		w.must(desk.GrantEndpoint(ctx, commands.GrantEndpoint{Application: id, Grant: grant}))
	}
	w.must(desk.SetWebhook(ctx, commands.SetWebhook{Application: id, Event: application.RecordOpened, URL: w.receiver.URL}))
	w.must(desk.EnableApplication(ctx, commands.EnableApplication{Tenant: "elm-street", Application: id}))
	patient, err := desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: "elm-street", Name: "Ann Archer"})
	w.must(err)
	w.patient = patient.String()
}

// retain makes the partitions of the next months.
func (w *world) retain() {
	w.t.Helper()
	w.with(w.db.AdminURL, func(engine *app.Engine) {
		retain := engine.Retain()
		retain.Say, retain.Tell = func(string) {}, func(string) {}
		w.must(retain.Run(w.t.Context()))
	})
}
