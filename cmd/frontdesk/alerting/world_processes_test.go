package alerting_test

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/notary"
	"frontdesk/adapters/postgres"
	"frontdesk/cmd/frontdesk/alerting"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/domain/proof"
)

// process is a target of Prometheus's scrapes, and the function that ends it.
type process struct {
	*app.App // of serve
	target   alerting.Target
	stop     func()
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

// signs makes a key, and starts a signer with an empty folder.
func (w *world) signs() {
	w.t.Helper()
	private, err := notary.MakeKey("frontdesk.test", proof.Salt{1})
	w.must(err)
	key, err := notary.ParseKey(private)
	w.must(err)
	w.signed = app.Sign{Now: clock.System, DatabaseURL: w.urlOf(postgres.SignerRole), Key: key, Dir: w.t.TempDir(), Every: 300 * time.Millisecond}
	w.signsAgain()
}

// signsAgain starts the signer with the existing state.
func (w *world) signsAgain() {
	w.t.Helper()
	w.sign = w.beside("frontdesk-sign", func(log *slog.Logger) func(context.Context) error {
		w.signed.MetricsListen, w.signed.Log = "127.0.0.1:0", log
		return w.signed.Run
	})
}

// auditor is the database's URL as the auditors' role.
func (w *world) auditor() string { return w.urlOf(postgres.AuditRole) }

func (w *world) urlOf(role string) string {
	at, err := url.Parse(w.db.URL)
	w.must(err)
	query := at.Query()
	query.Set("user", role)
	at.User, at.RawQuery = nil, query.Encode()
	return at.String()
}

// beside starts a process that logs the address of its metrics.
func (w *world) beside(job string, run func(*slog.Logger) func(context.Context) error) *process {
	w.t.Helper()
	says := &urls{found: make(chan string, 1)}
	stop := w.runs(run(slog.New(says)))
	select {
	case at := <-says.found:
		return &process{target: target(job, at), stop: stop}
	case <-time.After(2 * time.Minute):
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
