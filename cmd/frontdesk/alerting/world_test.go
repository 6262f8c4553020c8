package alerting_test

import (
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/broker/brokertest"
	"frontdesk/adapters/notary"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/alerting"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/signingkey"
)

// world is a practice that is called all the time, and what its operator runs: serve and
// sign, in the process of the test, and retain once.
type world struct {
	t     *testing.T
	db    *postgrestest.Database
	owner *pgxpool.Pool // of a superuser, who may do everything to the database

	config     app.Config
	serve      []*process
	addresses  atomic.Pointer[[]string] // of those that serve, for who calls
	sign       *process
	relay      *process // nil until there is one, like its broker
	broker     *brokertest.Server
	signed     app.Sign
	integrator bearertest.Application
	patient    string
	receiver   receiver

	unlock   func() // ends [world.locks]
	release  func() // ends [world.holds]
	staged   signingkey.KID
	observed []phase
}

// process is what Prometheus scrapes, and what ends it.
type process struct {
	*app.App // of serve
	target   alerting.Target
	stop     func()
}

// receiver is the application's.
type receiver struct {
	*httptest.Server
	gate atomic.Pointer[chan struct{}] // while it is closed, nobody is answered
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

// newWorld has everything as it should be, but for [world.retain]. Edits change how it serves.
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
		MasterKey: sealing.MasterKey{1}, RootCAs: roots, AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	}
	for _, edit := range edits {
		if edit != nil {
			edit(&w.config)
		}
	}
	w.onboard()
	w.serving(w.serves())
	w.signs()
	w.works(usualPause)
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
		rw.WriteHeader(http.StatusNoContent)
	}))
	w.t.Cleanup(func() { w.receiver.unblock(); w.receiver.Close() })
}

// with works on the database as a role.
func (w *world) with(databaseURL string, do func(*app.Engine), edits ...func(*app.Config)) {
	w.t.Helper()
	config := app.Config{DatabaseURL: databaseURL, MasterKey: w.config.MasterKey, AllowNetwork: w.config.AllowNetwork}
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

// serves starts one more process that serves.
func (w *world) serves() *process {
	w.t.Helper()
	service, err := app.New(w.t.Context(), w.config)
	w.must(err)
	return &process{App: service, target: target("frontdesk", service.PrivateURL()), stop: w.runs(service.Run)}
}

// serving has these processes be called, and be known to Prometheus.
func (w *world) serving(all ...*process) {
	var addresses []string
	for _, p := range all {
		addresses = append(addresses, p.URL())
	}
	w.serve = all
	w.addresses.Store(&addresses)
}

func (w *world) signs() {
	w.t.Helper()
	private, err := notary.MakeKey("frontdesk.test")
	w.must(err)
	key, err := notary.ParseKey(private)
	w.must(err)
	w.signed = app.Sign{DatabaseURL: w.auditor(), Key: key, Dir: w.t.TempDir(), Every: 300 * time.Millisecond}
	w.signsAgain()
}

// signsAgain starts the signer with the state that there is.
func (w *world) signsAgain() {
	w.t.Helper()
	w.sign = w.beside("frontdesk-sign", func(log *slog.Logger) func(context.Context) error {
		w.signed.MetricsListen, w.signed.Log = "127.0.0.1:0", log
		return w.signed.Run
	})
}

// auditor is the database's URL as the auditors' role.
func (w *world) auditor() string {
	at, err := url.Parse(w.db.URL)
	w.must(err)
	query := at.Query()
	query.Set("user", postgres.AuditRole)
	at.User, at.RawQuery = nil, query.Encode()
	return at.String()
}

// beside starts a process that says in its log where its metrics are.
func (w *world) beside(job string, run func(*slog.Logger) func(context.Context) error) *process {
	w.t.Helper()
	says := &urls{found: make(chan string, 1)}
	stop := w.runs(run(slog.New(says)))
	select {
	case at := <-says.found:
		return &process{target: target(job, at), stop: stop}
	case <-time.After(20 * time.Second):
		w.t.Fatalf("%s does not serve its metrics", job)
		return nil
	}
}

func target(job, at string) alerting.Target {
	return alerting.Target{Job: job, Instance: strings.TrimPrefix(at, "http://"), URL: at}
}

// runs has something run until it is stopped, or until the test ends.
func (w *world) runs(what func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.t.Context()))
	var running sync.WaitGroup
	running.Go(func() {
		if err := what(ctx); err != nil {
			w.t.Logf("it ended: %v", err)
		}
	})
	stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	w.t.Cleanup(stop)
	return stop
}

const usualPause = 200 * time.Millisecond // of a caller, between two calls

// works calls all processes in turn, until it is stopped. How calls are answered is in the metrics.
func (w *world) works(rest time.Duration) (stop func()) {
	return w.runs(func(ctx context.Context) error {
		var token string // good for a minute
		var minted time.Time
		for n := 0; ctx.Err() == nil; n++ {
			if time.Since(minted) > 20*time.Second {
				minted = time.Now()
				token = w.integrator.Token(minted)
			}
			addresses := *w.addresses.Load()
			w.call(ctx, addresses[n%len(addresses)], token, n%2 == 0)
			pause(ctx, rest)
		}
		return nil
	})
}

// call makes a call that is told of, or one that is not.
func (w *world) call(ctx context.Context, url, token string, told bool) {
	path, body := "open-care-record", fmt.Sprintf(`{"patientId":%q}`, w.patient)
	if !told {
		path = "create-patient-request"
		body = fmt.Sprintf(`{"patientId":%q,"requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"A cough"}]}`, w.patient)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/transactional-api/"+path, strings.NewReader(body))
	if err != nil {
		w.t.Error(err)
		return
	}
	r.Host = "elm-street.frontdesk.test"
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return // the process is down
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
}

// urls hears where a process serves its metrics.
type urls struct {
	slog.Handler
	found chan string
}

// Enabled is for everything.
func (*urls) Enabled(context.Context, slog.Level) bool { return true }

// Handle takes a line.
func (u *urls) Handle(_ context.Context, line slog.Record) error {
	line.Attrs(func(a slog.Attr) bool {
		if a.Key == "url" && line.Message == "serving" {
			u.found <- a.Value.String()
		}
		return true
	})
	return nil
}
