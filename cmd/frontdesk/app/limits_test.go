package app_test

import (
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/app"
)

func TestAnApplicationThatCallsTooOftenIsTold_D19(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := start(t, postgrestest.New(t).URL, func(c *app.Config) {
		c.RateLimit = 2
		c.Now = func() time.Time { return now }
	})
	for i, want := range []int{200, 200, 429, 429} {
		a := s.mustCall(t, requestBody(s.patient))
		if a.status != want || want == 429 && (a.headers.Get("Retry-After") != "1" || !strings.Contains(a.body, `"rate-limited"`)) {
			t.Errorf("call %d is answered %d %v %s", i+1, a.status, a.headers, a.body)
		}
	}
}

func TestAnApplicationThatSendsTooMuchIsTold_D19(t *testing.T) {
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
