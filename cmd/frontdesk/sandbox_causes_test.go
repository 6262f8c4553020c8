package main_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/cmd/frontdesk/devkit/sandbox"
	"frontdesk/cmd/frontdesk/testworld"
)

func (s *program) cause(name string) sandbox.Cause {
	s.t.Helper()
	cause, err := s.Info().Cause(name)
	if err != nil {
		s.t.Fatal(err)
	}
	return cause
}

// meets returns a call that meets a cause, as the application itself makes it.
func (s *program) meets(cause sandbox.Cause) *http.Request {
	s.t.Helper()
	return s.meetsAs(cause, "")
}

func (s *program) meetsAs(cause sandbox.Cause, username string) *http.Request {
	s.t.Helper()
	info := s.Info()
	signer, err := testworld.Signer(info.Application.KID, info.Application.PrivateKeyFile)
	if err != nil {
		s.t.Fatal(err)
	}
	token, err := signer.Token(info.Application.ID.String(), username, clock.System())
	if err != nil {
		s.t.Fatal(err)
	}
	var body bytes.Buffer
	if err := cause.WriteBody(&body); err != nil {
		s.t.Fatal(err)
	}
	practice, err := url.Parse(cause.APIURL)
	if err != nil {
		s.t.Fatal(err)
	}
	// The names below localhost lead to this machine in browsers and in curl, not in Go.
	r, err := http.NewRequestWithContext(context.WithoutCancel(s.t.Context()), http.MethodPost, info.APIURL+"/transactional-api/"+string(cause.Endpoint), &body)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Host = practice.Host
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	return r
}

func (s *program) does(r *http.Request) (answer *http.Response, body string) {
	s.t.Helper()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer, string(text)
}

// Each cause has the effect in the list, from a running sandbox.
func TestEachCauseCausesItsAnswer_D96(t *testing.T) {
	t.Parallel()
	s := sharedSandbox(t)
	info := *s.Info()
	s.Run("authorisation", "grant", "--tenant", info.TenantID, "--application", info.Application.ID.String(), "--username", info.Staff.Username,
		"--database-url", info.DatabaseURL)
	wants := func(cause sandbox.Cause, r *http.Request, status int, code string) *http.Response {
		answer, body := s.does(r)
		if answer.StatusCode != status || !strings.Contains(body, `"`+code+`"`) {
			t.Errorf("%s is answered %d %s, want %d %s", cause.Name, answer.StatusCode, body, status, code)
		}
		return answer
	}
	if len(info.Causes) < 13 {
		t.Fatalf("there are %d causes", len(info.Causes))
	}
	for _, cause := range info.Causes {
		switch cause.Name {
		case "restricted":
			wants(cause, s.meetsAs(cause, info.Staff.Username), cause.Status, cause.Code)
		case "rate-limited":
			wants(cause, s.meets(cause), http.StatusOK, "patientRequestId")
			if answer := wants(cause, s.meets(cause), cause.Status, cause.Code); answer.Header.Get("Retry-After") == "" {
				t.Error("the answer lacks how long calls are limited")
			}
		case "flaky":
			if answer := wants(cause, s.meets(cause), cause.Status, cause.Code); answer.Header.Get("Retry-After") == "" {
				t.Error("the answer lacks when to retry")
			}
			wants(cause, s.meets(cause), http.StatusOK, "patientRequestId")
		case "slow":
			begun := clock.Start()
			if wants(cause, s.meets(cause), cause.Status, "patientRequestId"); begun.Elapsed() < 3*time.Second {
				t.Errorf("%s is answered after %s", cause.Name, begun.Elapsed())
			}
		default:
			wants(cause, s.meets(cause), cause.Status, cause.Code)
		}
		if said := s.mustSteer("causes"); !strings.Contains(said, cause.Name) || !strings.Contains(said, cause.PatientID.String()) {
			t.Errorf("%s is not listed: %s", cause.Name, said)
		}
	}
	var body bytes.Buffer
	if err := s.cause("too-large").WriteBody(&body); err != nil || s.mustSteer("body", "too-large") != body.String() {
		t.Errorf("the body that is printed is another: %v", err)
	}
	if said, done := s.steers("body", "nothing"); done || !strings.Contains(said, "bad-base64") {
		t.Errorf("a cause that there is not: %s", said)
	}
}

// One sees each outcome of a delivery.
func TestEachWayOfTheReceiverHasItsOutcome_D96(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Flags = []string{"--webhook-timeout=10s"}
	s.Start()
	sent := 0
	for way, want := range map[string]string{
		"well": "delivered", "slow": "delivered", "error": "http_5xx", "redirect": "http_3xx", "closed": "connection_closed",
		"untrusted": "tls_untrusted", "silent": "timeout_answer",
	} {
		if said := s.mustSteer("receiver", way); !strings.Contains(said, "https://") {
			t.Errorf("%s: %s", way, said)
		}
		s.Run("webhook", "trigger", "consultation.started", "--dir", s.Dir)
		sent++
		waitFor(t, func() bool {
			deliveries := s.Run("audit", "deliveries", "--json", "--database-url", s.Info().DatabaseURL)
			newest, _, _ := strings.Cut(deliveries, "\n")
			if strings.Count(deliveries, "\n") < sent || strings.Contains(newest, `"pending"`) || strings.Contains(newest, `"sending"`) {
				return false
			}
			if !strings.Contains(newest, `"`+want+`"`) {
				t.Errorf("%s: %s", way, newest)
			}
			return true
		})
	}
	if n := len(s.received()); n != 2 {
		t.Errorf("the receiver has kept %d webhooks, want those of well and slow", n)
	}
}

// The names of ways at the command line are those of the receiver.
func TestTheWaysOfTheReceiverCanBeTyped_D96(t *testing.T) {
	t.Parallel()
	output, err := exec.CommandContext(t.Context(), testworld.Binary(t), "completion", "words", "--", "sandbox", "receiver", "").Output()
	if err != nil {
		t.Fatal(err)
	}
	if typed := strings.Fields(string(output)); strings.Join(typed, " ") != strings.Join(sandbox.Ways(), " ") {
		t.Errorf("typed %v, known %v", typed, sandbox.Ways())
	}
}
