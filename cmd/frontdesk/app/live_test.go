package app_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/staff"
)

// listen opens a stream of requests, as a signed-in member of staff.
func (s *service) listen(t *testing.T) *bufio.Scanner {
	t.Helper()
	member, err := s.Desk.RegisterStaff(t.Context(), commands.RegisterStaff{
		Tenant: "elm-street", Username: "reception", Name: "Reception", Email: "reception@elm.example", Roles: staff.Roles{staff.Receptionist}, Password: "a walnut in the soup",
	})
	must(t, err)
	var holder signin.Holder
	must(t, s.db.QueryRow(t.Context(), `SELECT staff, credential FROM staff WHERE staff = $1`, member).Scan(&holder.Staff, &holder.Credential))
	sessions := signin.Sessions{DB: postgres.On(s.db), Idle: time.Hour, Limit: time.Hour, Now: s.Desk.Now}
	token, _, err := sessions.Begin(t.Context(), "elm-street", holder, "a test")
	must(t, err)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL()+"/elm-street/staff/events?topics=inbox", http.NoBody)
	must(t, err)
	r.AddCookie(&http.Cookie{Name: "frontdesk-elm-street", Value: token})
	answer, err := http.DefaultClient.Do(r)
	must(t, err)
	t.Cleanup(func() { _ = answer.Body.Close() })
	if answer.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("the stream: %s", answer.Status)
	}
	return bufio.NewScanner(answer.Body)
}

func TestStreamsEndBeforeAProcessWaits_D87(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	s, ended := startUntil(ctx, t, postgrestest.New(t).URL, func(c *app.Config) { c.DrainDelay = never })
	heard := s.listen(t)
	s.submitted(t)
	for heard.Scan() && !strings.HasPrefix(heard.Text(), `data: {"topic":"inbox","what":"submitted",`) {
	}
	if heard.Err() != nil || heard.Text() == "" {
		t.Fatalf("no notification of a request: %v", heard.Err())
	}
	stop()
	for heard.Scan() {
	}
	if err := heard.Err(); err != nil {
		t.Errorf("the stream was cut off: %v", err)
	}
	if status, _ := s.submitted(t); status != http.StatusOK {
		t.Errorf("a call meanwhile is answered %d", status)
	}
	s.Close()
	if err := <-ended; err != nil {
		t.Errorf("run: %v", err)
	}
}
