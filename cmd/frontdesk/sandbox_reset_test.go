package main_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/cmd/frontdesk/devkit/sandbox"
	"frontdesk/cmd/frontdesk/testworld"
)

func TestResetRestoresSeededPractice_D96(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Start()
	before := *s.Info()
	seeded := s.kept()
	again := sendsWithKey(s, "the-same")
	s.mustSteer("clock", "+100h")
	s.mustSteer("receiver", "error")
	s.Run("webhook", "trigger", "record.opened", "--dir", s.Dir)
	s.Run("patient", "register", "--name=Somebody else", "--tenant", before.TenantID, "--database-url", before.DatabaseURL, "--master-key-file", before.MasterKeyFile)
	waitFor(t, func() bool { return s.kept() != seeded })

	s.mustSteer("reset")

	after, err := sandbox.ReadInfo(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for n := range before.Appointments { // which are booked from now on
		before.Appointments[n].At, after.Appointments[n].At = time.Time{}, time.Time{}
	}
	want, got := asJSON(t, before), asJSON(t, after)
	if want != got {
		t.Errorf("a client gets another answer:\n%s\nwas\n%s", got, want)
	}
	if got := s.kept(); got != seeded {
		t.Errorf("the practice has %s, and was seeded with %s", got, seeded)
	}
	if said := s.mustSteer("clock"); !strings.Contains(said, "real time") {
		t.Errorf("the clock: %s", said)
	}
	if n := len(s.received()); n != 0 {
		t.Errorf("%d webhooks are left", n)
	}
	if now := sendsWithKey(s, "the-same"); now == again {
		t.Error("an answer from before the reset was given again")
	}
	s.Run("webhook", "trigger", "record.opened", "--dir", s.Dir)
	waitFor(t, func() bool { return len(s.received()) == 1 })
	b := testworld.NewBrowser(t)
	b.Open(after.PagesURL())
	b.Send(url.Values{"username": {after.Staff.Username}, "password": {after.Staff.Password}})
	b.Shows("Sandbox Surgery")

	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	s.Start()
	s.mustSteer("reset")
	if got := s.kept(); got != seeded {
		t.Errorf("after another start and reset the practice has %s, and was seeded with %s", got, seeded)
	}
}

// kept describes the practice's data by its log: how many events of each name. The key set's
// address and the receiver's differ from start to start, and appointments from day to day.
func (s *program) kept() string {
	return asks[string](s, `SELECT string_agg(name || ' ' || n, ', ' ORDER BY name) FROM (SELECT name, count(*) AS n FROM events
		WHERE name NOT LIKE 'appointment.%' AND name NOT IN ('application.webhook-set.v1', 'application.jwks-url-set.v1', 'staff.signed-in.v1') GROUP BY name) counted`)
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sendsWithKey submits a request with an idempotency key, and returns the answer.
func sendsWithKey(s *program, key string) string {
	s.t.Helper()
	r := s.meets(s.cause("too-large"))
	r.Body = io.NopCloser(strings.NewReader(`{"patientId":"` + s.Info().Patients[0].ID.String() + `","requestType":"medical","requester":"patient",
		"response":[{"question":"healthConcern","answer":"A cough"}]}`))
	r.ContentLength = -1
	r.Header.Set("Idempotency-Key", key)
	answer, body := s.does(r)
	if answer.StatusCode != http.StatusOK {
		s.t.Fatalf("%d: %s", answer.StatusCode, body)
	}
	return body
}

// Calls during resets are answered, by one service or the next.
func TestCallsDuringAResetAreAnswered_D96(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Start()
	var calls sync.WaitGroup
	stopped, stop := context.WithCancel(t.Context())
	calls.Go(func() {
		alone := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // a reused connection may end between two calls
		for stopped.Err() == nil {
			answer, err := alone.Do(s.meets(s.cause("slow")))
			if err != nil {
				t.Error(err)
				return
			}
			_ = answer.Body.Close()
			if answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("answered %d", answer.StatusCode)
			}
		}
	})
	for range 3 {
		s.mustSteer("reset")
	}
	stop()
	calls.Wait()
}

// A reset that was begun and not ended is ended by the next start.
func TestAResetThatWasCutShortIsFinished_D96(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Start()
	seeded := s.kept()
	if _, err := s.submit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.Dir, "reset-begun"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.Start()
	if got := s.kept(); got != seeded {
		t.Errorf("the practice has %s, and was seeded with %s", got, seeded)
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "reset-begun")); !os.IsNotExist(err) {
		t.Errorf("the next start would reset it again: %v", err)
	}
}
