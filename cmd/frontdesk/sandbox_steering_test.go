package main_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/clock"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/domain/signingkey"
)

// steers runs a command for the sandbox, and returns its output and whether it succeeded.
func (s *program) steers(args ...string) (said string, done bool) {
	s.t.Helper()
	command := exec.CommandContext(s.t.Context(), testworld.Binary(s.t), append([]string{"sandbox"}, args...)...)
	command.Args = append(command.Args, "--dir", s.Dir)
	output, err := command.CombinedOutput()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		s.t.Fatal(err)
	}
	return string(output), err == nil
}

func (s *program) mustSteer(args ...string) string {
	s.t.Helper()
	said, done := s.steers(args...)
	if !done {
		s.t.Fatalf("sandbox %v: %s", args, said)
	}
	return said
}

// asks the sandbox's database for one value.
func asks[T any](s *program, query string, args ...any) (found T) {
	s.t.Helper()
	conn, err := pgx.Connect(s.t.Context(), s.Info().AdminDatabaseURL)
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(s.t.Context()))
	if err := conn.QueryRow(s.t.Context(), query, args...).Scan(&found); err != nil {
		s.t.Fatal(err)
	}
	return found
}

// The service, commands on its database and the next start share one clock.
func TestTheSandboxHasOneClock_D96(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Start()
	if said := s.mustSteer("clock"); !strings.Contains(said, "which is real time") {
		t.Errorf("at first: %s", said)
	}
	s.mustSteer("clock", "+36h")
	if _, err := s.submit(t.Context()); err != nil { // with a token of real time
		t.Error(err)
	}
	s.Run("webhook", "trigger", "record.opened", "--dir", s.Dir)
	waitFor(t, func() bool { return len(s.received()) == 1 }) // verified by real time
	ahead := func() time.Duration {
		return asks[time.Time](s, `SELECT min(recorded_at) FROM (SELECT recorded_at FROM events ORDER BY position DESC LIMIT 2) two`).Sub(clock.System())
	}
	if ahead() < 35*time.Hour {
		t.Errorf("later events were recorded %s ahead", ahead())
	}
	if said, done := s.steers("clock", "real"); done || !strings.Contains(said, "newest event") || !strings.Contains(said, "sandbox reset") {
		t.Errorf("back behind the newest event: %s", said)
	}

	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	var err error
	if s.Greeting, err = os.Create(filepath.Join(t.TempDir(), "greeting")); err != nil {
		t.Fatal(err)
	}
	s.Start()
	greeting, err := os.ReadFile(s.Greeting.Name())
	if err != nil || !strings.Contains(string(greeting), "36h0m0s ahead of real time") {
		t.Errorf("the next start does not print its clock: %v\n%s", err, greeting)
	}
	s.mustSteer("clock", "+1h")
	if said := s.mustSteer("clock"); !strings.Contains(said, "37h0m0s ahead") {
		t.Errorf("after the next start: %s", said)
	}
}

// Identifiers are made from real time. Searches by them succeed under any clock.
func TestSearchByIdentifierUnderMovedClock_D96(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Start()
	info := *s.Info()
	s.mustSteer("clock", "+4000h") // beyond all existing partitions
	if _, err := s.submit(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Run("webhook", "trigger", "record.opened", "--dir", s.Dir)
	waitFor(t, func() bool {
		return strings.Contains(s.Run("audit", "calls", "--json", "--database-url", info.DatabaseURL), `"create-patient-request"`)
	})
	waitFor(t, func() bool {
		return strings.Contains(s.Run("audit", "deliveries", "--json", "--status=delivered", "--database-url", info.DatabaseURL), `"record.opened"`)
	})
	b := testworld.NewBrowser(t)
	b.Open(info.PagesURL())
	b.Send(url.Values{"username": {info.Staff.Username}, "password": {info.Staff.Password}})
	b.Open(info.PagesURL() + "/applications/" + info.Application.ID.String())
	b.Shows("1 call answered") // in the last day, and maybe in an hour of its own
	b.Shows("1 webhook delivered")
}

func TestTheServicesKeysChangeByTheSandboxsClock_D96(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Start()
	info := *s.Info()
	var staged struct{ KID signingkey.KID }
	if err := json.Unmarshal([]byte(s.Run("keys", "stage", "--json", "--database-url", info.DatabaseURL, "--master-key-file", info.MasterKeyFile)), &staged); err != nil {
		t.Fatal(err)
	}
	activate := func() (string, error) {
		output, err := exec.CommandContext(t.Context(), testworld.Binary(s.t), "keys", "activate", "--kid", string(staged.KID),
			"--database-url", info.DatabaseURL, "--master-key-file", info.MasterKeyFile).CombinedOutput()
		return string(output), err
	}
	if said, err := activate(); err == nil || !strings.Contains(said, "24 hours") {
		t.Errorf("at once: %v: %s", err, said)
	}
	s.mustSteer("clock", "+24h")
	if said, err := activate(); err != nil {
		t.Errorf("a day later: %v: %s", err, said)
	}
}
