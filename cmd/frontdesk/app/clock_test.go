package app_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/testworld"
)

// A process whose clock is wrong is not ready and records nothing, until the clock is right.
func TestWrongClockEndsReadiness_D138(t *testing.T) {
	t.Parallel()
	var wrong atomic.Int64
	w := (&testworld.World{DB: postgrestest.New(t)}).Serve(t, oneTenant, func(c *app.Config) {
		c.Machine = func() time.Time { return clock.System().Add(time.Duration(wrong.Load())) }
	})
	s := &states{desk: &desk{World: w}}
	s.integrator, s.patient = onboard(t, s.App())
	if status, said := s.asked(t); status != http.StatusOK {
		t.Fatalf("with the right clock, /readyz answers %d %s", status, said)
	}
	wrong.Store(int64(-10 * time.Second))
	s.submitted(t, http.StatusOK)

	wrong.Store(int64(time.Minute))
	clocktest.Eventually(t, func() bool { return s.readyz(t) == http.StatusServiceUnavailable }, "the next comparison")
	if _, said := s.asked(t); !strings.Contains(said, "ahead of the database's: set the one that is wrong") {
		t.Errorf("/readyz says %q", said)
	}
	refused := s.submit(t)
	body, err := io.ReadAll(refused.Body)
	must(t, err)
	const want = `{"errors":[{"code":"unavailable","description":"The service's clock is wrong, so it records nothing now. Try again shortly."}]}` + "\n"
	if refused.StatusCode != http.StatusServiceUnavailable || refused.Header.Get("Retry-After") == "" || string(body) != want {
		t.Errorf("answered %d %s, Retry-After %q", refused.StatusCode, body, refused.Header.Get("Retry-After"))
	}
	if status, _ := s.call(t, s.integrator.Token(s.Desk.Now())); status != http.StatusOK {
		t.Errorf("a call that changes nothing is answered %d", status)
	}

	wrong.Store(0)
	clocktest.Eventually(t, func() bool { return s.readyz(t) == http.StatusOK }, "the clock is right")
	s.submitted(t, http.StatusOK)
	if n := s.stored(t); n != 2 {
		t.Errorf("%d requests are stored, want the two that were answered 200", n)
	}
}
