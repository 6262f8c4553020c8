package testworld

import (
	"context"
	"crypto/x509"
	"net/netip"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/adapters/webhooks/receiver"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands/commandtest"
)

// APIDomain is the domain of the practices' API: each has a host of its own below it.
const APIDomain = "frontdesk.test"

// MasterKey is the master key of every program and engine in tests.
var MasterKey = sealing.MasterKey{1}

// World is a service with a database and a clock of its own. Its methods make practices,
// staff, patients, applications and receivers, and fail the test if they cannot.
type World struct {
	*app.Engine // makes changes, as the program's commands do
	DB          *postgrestest.Database
	Clock       *commandtest.Clock // shows noon until the test moves it; nil for a world of processes

	tb        testing.TB
	config    app.Config
	authority *receiver.Authority // of the receivers' certificates
	service   *app.App            // in this process; nil for a world of processes
	stop      func() error
	url       string // of the program that was started last
}

// Serve starts the program in this process, and stops it when the test ends. It takes
// the time from [World.Clock]. An edit changes its configuration.
func Serve(tb testing.TB, edits ...func(*app.Config)) *World {
	tb.Helper()
	w := &World{tb: tb, DB: postgrestest.New(tb), Clock: commandtest.NewClock(commandtest.Noon)}
	w.configure(append([]func(*app.Config){func(c *app.Config) { c.Now = w.Clock.Now }}, edits...))
	w.serve()
	return w
}

// Replica starts the program once more, on the same database and with the same clock.
func (w *World) Replica(edits ...func(*app.Config)) *World {
	w.tb.Helper()
	r := &World{tb: w.tb, DB: w.DB, Clock: w.Clock, authority: w.authority, config: w.config}
	for _, edit := range edits {
		edit(&r.config)
	}
	r.serve()
	return r
}

// Open opens an engine on a new database, and serves nothing. [World.Start] starts
// processes on it. They take the time from the machine, and so does the engine.
func Open(tb testing.TB) *World {
	tb.Helper()
	w := &World{tb: tb, DB: postgrestest.New(tb)}
	w.configure([]func(*app.Config){func(c *app.Config) { c.Now = clock.System }})
	engine, err := app.Open(tb.Context(), w.config)
	Must(tb, err)
	tb.Cleanup(engine.Close)
	w.Engine = engine
	return w
}

func (w *World) configure(edits []func(*app.Config)) {
	w.tb.Helper()
	var err error
	w.authority, err = receiver.OpenAuthority(w.tb.TempDir(), clock.System())
	Must(w.tb, err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(w.authority.PEM())
	w.config = app.Config{
		DatabaseURL: w.DB.URL, Listen: "127.0.0.1:0", PrivateListen: "127.0.0.1:0", APIDomain: APIDomain,
		// Applications publish their keys on loopback, and receive webhooks there.
		AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, RootCAs: roots,
		MasterKey: MasterKey,
	}
	for _, edit := range edits {
		edit(&w.config)
	}
}

func (w *World) serve() {
	w.tb.Helper()
	service, err := app.New(w.tb.Context(), w.config)
	Must(w.tb, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.tb.Context()))
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	w.stop = sync.OnceValue(func() error { cancel(); return <-ended })
	w.tb.Cleanup(func() {
		if err := w.stop(); err != nil {
			w.tb.Errorf("run: %v", err)
		}
	})
	w.service, w.Engine, w.url = service, service.Engine, service.URL()
}

// App returns the program that runs in this process; nil for a world of processes.
func (w *World) App() *app.App { return w.service }

// Stop stops the program that runs in this process, and returns the error of
// [app.App.Run].
func (w *World) Stop() error { return w.stop() }

// URL returns where the program serves the API and the staff's pages.
func (w *World) URL() string { return w.url }

// Now returns the time of the program.
func (w *World) Now() time.Time {
	if now := w.config.Now; now != nil {
		return now()
	}
	return clock.System()
}

// Must fails the test at an error.
func Must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
