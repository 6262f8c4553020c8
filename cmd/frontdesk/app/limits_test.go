package app_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands/commandtest"
)

func TestCallsBeyondRateLimitAreRefused_D19(t *testing.T) {
	t.Parallel()
	s := start(t, postgrestest.New(t).URL, func(c *app.Config) {
		c.RateLimit = 0.2                                  // a burst of two
		c.Now = commandtest.NewClock(commandtest.Noon).Now // it does not move, so no call is forgotten
	})
	for i, want := range []int{200, 200, 429, 429} {
		a := s.mustCall(t, requestBody(s.patient))
		if a.status != want || want == 429 && (a.headers.Get("Retry-After") != "5" || !strings.Contains(a.body, `"rate-limited"`)) {
			t.Errorf("call %d is answered %d %v %s", i+1, a.status, a.headers, a.body)
		}
	}
}

func TestUploadsBeyondLimitAreRefused_D19(t *testing.T) {
	t.Parallel()
	s := start(t, postgrestest.New(t).URL, func(c *app.Config) {
		c.RateLimit, c.DailyBytes = app.NoLimit, 1500
	})
	body := requestBody(s.patient) // of some 900 bytes
	for i, want := range []int{200, 429, 429} {
		a := s.mustCall(t, body)
		if a.status != want || want == 429 && (a.headers.Get("Retry-After") == "" || !strings.Contains(a.body, "as many bytes as it may in a day")) {
			t.Errorf("call %d is answered %d %v %s", i+1, a.status, a.headers, a.body)
		}
	}
}

// As few connections as may be are enough for many calls, sent at once: they wait for each other.
func TestSmallPoolsServe_D108(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	few := func(c *app.Config) { c.CallConnections, c.BackgroundConnections, c.UploadConnections = 1, 8, 1 }
	s := start(t, db.URL, few)
	var calls sync.WaitGroup
	for range 20 {
		calls.Go(func() {
			if a := s.mustCall(t, requestBody(s.patient)); a.status != http.StatusOK {
				t.Errorf("a call is answered %d %s", a.status, a.body)
			}
		})
	}
	calls.Wait()
	for _, none := range []func(*app.Config){
		func(c *app.Config) { c.BackgroundConnections = 7 }, func(c *app.Config) { c.CallConnections = -1 }, func(c *app.Config) { c.UploadConnections = -1 },
	} {
		config := app.Config{DatabaseURL: db.URL}
		none(&config)
		if _, err := app.Open(t.Context(), config); err == nil || !strings.Contains(err.Error(), "at least") {
			t.Errorf("with too few connections, the error is %v", err)
		}
	}
}
