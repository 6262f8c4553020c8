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
	"frontdesk/adapters/staffweb/signin/signintest"
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
	Clock       *commandtest.Clock  // moves when the test moves it; nil for a world of processes
	Authority   *receiver.Authority // of the receivers' certificates; the program trusts it

	tb      testing.TB
	config  app.Config
	service *app.App // in this process; nil for a world of processes
	stop    func() error
	url     string // of the program that was started last
}

// Pass moves the clocks of the program and of the database.
func (w *World) Pass(d time.Duration) {
	w.tb.Helper()
	w.Clock.Pass(d)
	w.DB.PassClock(w.tb, d)
}

// Serve starts the program in this process, and stops it when the test ends. It takes
// the time from [World.Clock], which shows noon. An edit changes its configuration.
func Serve(tb testing.TB, edits ...func(*app.Config)) *World {
	tb.Helper()
	return new(World).Serve(tb, edits...)
}

// Serve is [Serve] for a world that has a database or a clock already.
func (w *World) Serve(tb testing.TB, edits ...func(*app.Config)) *World {
	tb.Helper()
	if w.Clock == nil {
		w.Clock = commandtest.NewClock(commandtest.Noon)
	}
	w.configure(tb, w.Clock.Now, edits)
	service, err := app.New(tb.Context(), w.config)
	Must(tb, err)
	w.service, w.Engine, w.url = service, service.Engine, service.URL()
	w.stop = w.Run(service.Run)
	return w
}

// Replica starts the program once more, on the same database and with the same clock.
func (w *World) Replica(edits ...func(*app.Config)) *World {
	w.tb.Helper()
	return (&World{DB: w.DB, Clock: w.Clock, Authority: w.Authority}).Serve(w.tb, edits...)
}

// Open opens an engine on a new database, without serving. [World.Start] starts processes on
// it. They use the machine's time, and so does the engine.
func Open(tb testing.TB) *World {
	tb.Helper()
	w := &World{}
	w.configure(tb, clock.System, nil)
	engine, err := app.Open(tb.Context(), w.config)
	Must(tb, err)
	tb.Cleanup(engine.Close)
	w.Engine = engine
	return w
}

// configure gives the world a database and an authority, unless it has them, and the program
// its configuration.
func (w *World) configure(tb testing.TB, now func() time.Time, edits []func(*app.Config)) {
	tb.Helper()
	w.tb = tb
	if w.DB == nil {
		w.DB = postgrestest.New(tb)
	}
	if w.Authority == nil {
		var err error
		w.Authority, err = receiver.OpenAuthority(tb.TempDir(), clock.System())
		Must(tb, err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(w.Authority.PEM())
	w.config = app.Config{
		DatabaseURL: w.DB.URL, Listen: "127.0.0.1:0", PrivateListen: "127.0.0.1:0", APIDomain: APIDomain,
		// Applications publish their keys on loopback, and receive webhooks there.
		AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, RootCAs: roots,
		MasterKeys: sealing.NewRing(MasterKey), PasswordCost: signintest.Cheap, Now: now,
	}
	for _, edit := range edits {
		edit(&w.config)
	}
}

// Run runs a function until it is stopped or the test ends. Its error fails the test, unless
// stop returns it.
func (w *World) Run(what func(context.Context) error) (stop func() error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.tb.Context()))
	ended, seen := make(chan error, 1), false
	go func() { ended <- what(ctx) }()
	once := sync.OnceValue(func() error { cancel(); return <-ended })
	w.tb.Cleanup(func() {
		if err := once(); err != nil && !seen {
			w.tb.Errorf("run: %v", err)
		}
	})
	return func() error { seen = true; return once() }
}

// App returns the program that runs in this process; nil for a world of processes.
func (w *World) App() *app.App { return w.service }

// Stop stops the program that runs in this process, and returns the error of
// [app.App.Run].
func (w *World) Stop() error { return w.stop() }

// URL returns where the program serves the API and the staff's pages.
func (w *World) URL() string { return w.url }

// PrivateURL returns where the program that runs in this process serves metrics.
func (w *World) PrivateURL() string { return w.service.PrivateURL() }

// Now returns the time by which tokens are issued and checked.
func (w *World) Now() time.Time {
	if now := w.config.RealNow; now != nil {
		return now()
	}
	return w.config.Now()
}

// Must fails the test at an error.
func Must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
