package features_test

import (
	"context"
	"net/netip"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/webhooks"
	"frontdesk/adapters/webhooks/receiver"
	"frontdesk/cmd/frontdesk/app"
)

// program is a running frontdesk.
type program struct {
	*app.App
	t     *testing.T
	db    *postgrestest.Database
	clock *clock
	count int // scenarios so far

	authority *receiver.Authority // vouches for the applications' webhook receivers
}

// apiDomain is where the features' practices are served.
const apiDomain = "frontdesk.test"

// startProgram runs the program until the test ends.
func startProgram(t *testing.T) *program {
	t.Helper()
	clock := &clock{now: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)}
	db := postgrestest.New(t)
	authority, err := receiver.OpenAuthority(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	service, err := app.New(t.Context(), app.Config{
		DatabaseURL: db.URL,
		Listen:      "127.0.0.1:0",
		APIDomain:   apiDomain,
		// The applications of the features publish their keys on loopback, and
		// receive webhooks there.
		AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		RootCAs:      authority.Pool(),
		Now:          clock.Now,
		MasterKey:    webhooks.MasterKey{1},
	})
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	running.Go(func() {
		if err := service.Run(ctx); err != nil {
			t.Errorf("run: %v", err)
		}
	})
	t.Cleanup(func() { stop(); running.Wait() })
	return &program{App: service, t: t, db: db, clock: clock, authority: authority}
}

// clock is the program's clock, which only moves when a step says so.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now is the time.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Pass moves the clock.
func (c *clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
