package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/cmd/frontdesk/sandbox"
	"frontdesk/domain/signingkey"
)

// steers runs a command for the sandbox, and returns what it printed and whether it was
// done.
func (s *program) steers(args ...string) (said string, done bool) {
	s.t.Helper()
	command := exec.CommandContext(s.t.Context(), s.binary, append([]string{"sandbox"}, args...)...)
	command.Args = append(command.Args, "--dir", s.dir)
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
	conn, err := pgx.Connect(s.t.Context(), s.info.Load().AdminDatabaseURL)
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(s.t.Context()))
	if err := conn.QueryRow(s.t.Context(), query, args...).Scan(&found); err != nil {
		s.t.Fatal(err)
	}
	return found
}

// One clock for the service, for those who come to its database, and for the next start.
func TestTheSandboxHasOneClock_D96(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.start()
	if said := s.mustSteer("clock"); !strings.Contains(said, "which is real time") {
		t.Errorf("at first: %s", said)
	}
	s.mustSteer("clock", "+36h")
	if _, err := s.submit(t.Context()); err != nil { // with a token of real time
		t.Error(err)
	}
	s.run("webhook", "trigger", "record.opened", "--dir", s.dir)
	waitFor(t, func() bool { return len(s.received()) == 1 }) // verified by real time
	ahead := func() time.Duration {
		return time.Until(asks[time.Time](s, `SELECT min(recorded_at) FROM (SELECT recorded_at FROM events ORDER BY position DESC LIMIT 2) two`))
	}
	if ahead() < 35*time.Hour {
		t.Errorf("what was done since was recorded %s ahead", ahead())
	}
	if said, done := s.steers("clock", "real"); done || !strings.Contains(said, "newest event") || !strings.Contains(said, "sandbox reset") {
		t.Errorf("back behind the newest event: %s", said)
	}

	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	var err error
	if s.greeting, err = os.Create(filepath.Join(t.TempDir(), "greeting")); err != nil {
		t.Fatal(err)
	}
	s.start()
	greeting, err := os.ReadFile(s.greeting.Name())
	if err != nil || !strings.Contains(string(greeting), "36h0m0s ahead of real time") {
		t.Errorf("the next start does not say what its clock shows: %v\n%s", err, greeting)
	}
	s.mustSteer("clock", "+1h")
	if said := s.mustSteer("clock"); !strings.Contains(said, "37h0m0s ahead") {
		t.Errorf("after the next start: %s", said)
	}
}

// Identifiers are made from real time. What is looked for by them is found under any clock.
func TestWhatIsFoundByIdentifiersIsFoundUnderAMovedClock_D96(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.start()
	info := *s.info.Load()
	s.mustSteer("clock", "+4000h") // beyond all partitions that there are
	if _, err := s.submit(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.run("webhook", "trigger", "record.opened", "--dir", s.dir)
	waitFor(t, func() bool {
		return strings.Contains(s.run("audit", "calls", "--json", "--database-url", info.DatabaseURL), `"create-patient-request"`)
	})
	waitFor(t, func() bool {
		return strings.Contains(s.run("audit", "deliveries", "--json", "--status=delivered", "--database-url", info.DatabaseURL), `"record.opened"`)
	})
	b := newVisitor(t)
	b.get(info.PagesURL())
	b.send(url.Values{"username": {info.Staff.Username}, "password": {info.Staff.Password}})
	b.get(info.PagesURL() + "/applications/" + info.Application.ID.String())
	b.wants("1 call answered, 1 webhook delivered") // in the last day
}

func TestTheServicesKeysChangeByTheSandboxsClock_D96(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.start()
	info := *s.info.Load()
	var staged struct{ KID signingkey.KID }
	if err := json.Unmarshal([]byte(s.run("keys", "stage", "--json", "--database-url", info.DatabaseURL, "--master-key-file", info.MasterKeyFile)), &staged); err != nil {
		t.Fatal(err)
	}
	activate := func() (string, error) {
		output, err := exec.CommandContext(t.Context(), s.binary, "keys", "activate", "--kid", string(staged.KID),
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

func TestAResetMakesThePracticeWhatItWasSeededAs_D96(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.start()
	before := *s.info.Load()
	seeded := s.kept()
	again := sendsWithKey(s, "the-same")
	s.mustSteer("clock", "+100h")
	s.mustSteer("receiver", "error")
	s.run("webhook", "trigger", "record.opened", "--dir", s.dir)
	s.run("register-patient", "--name=Somebody else", "--tenant", before.TenantID, "--database-url", before.DatabaseURL, "--master-key-file", before.MasterKeyFile)
	waitFor(t, func() bool { return s.kept() != seeded })

	s.mustSteer("reset")

	after, err := sandbox.ReadInfo(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	for n := range before.Appointments { // which are booked from now on
		before.Appointments[n].At, after.Appointments[n].At = time.Time{}, time.Time{}
	}
	want, got := asJSON(t, before), asJSON(t, after)
	if want != got {
		t.Errorf("a client is told otherwise:\n%s\nwas\n%s", got, want)
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
	s.run("webhook", "trigger", "record.opened", "--dir", s.dir)
	waitFor(t, func() bool { return len(s.received()) == 1 })
	b := newVisitor(t)
	b.get(after.PagesURL())
	b.send(url.Values{"username": {after.Staff.Username}, "password": {after.Staff.Password}})
	b.wants("Sandbox Surgery")

	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	s.start()
	s.mustSteer("reset")
	if got := s.kept(); got != seeded {
		t.Errorf("after another start and reset the practice has %s, and was seeded with %s", got, seeded)
	}
}

// kept says what the practice has, in the words of its log: how many events of each name.
// The key set's address and the receiver's differ from start to start, and appointments from
// day to day.
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
	r.Body = io.NopCloser(strings.NewReader(`{"patientId":"` + s.info.Load().Patients[0].ID.String() + `","requestType":"medical","requester":"patient",
		"response":[{"question":"healthConcern","answer":"A cough"}]}`))
	r.ContentLength = -1
	r.Header.Set("Idempotency-Key", key)
	answer, body := s.does(r)
	if answer.StatusCode != http.StatusOK {
		s.t.Fatalf("%d: %s", answer.StatusCode, body)
	}
	return body
}

// Whoever calls during resets is answered, by one service or the next.
func TestCallsDuringAResetAreAnswered_D96(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.start()
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
	s.start()
	seeded := s.kept()
	if _, err := s.submit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "reset-begun"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.start()
	if got := s.kept(); got != seeded {
		t.Errorf("the practice has %s, and was seeded with %s", got, seeded)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "reset-begun")); !os.IsNotExist(err) {
		t.Errorf("the next start would reset it again: %v", err)
	}
}

func (s *program) cause(name string) sandbox.Cause {
	s.t.Helper()
	cause, err := s.info.Load().Cause(name)
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
	info := s.info.Load()
	minter, err := sandbox.NewMinter(info.Application.PrivateKeyFile, info.Application.KID, info.Application.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	token, err := minter.Mint(username, time.Now())
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

// Each cause causes what the list says, from a running sandbox.
func TestEachCauseCausesItsAnswer_D96(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.start()
	info := *s.info.Load()
	s.run("grant-user-authorisation", "--tenant", info.TenantID, "--application", info.Application.ID.String(), "--username", info.Staff.Username,
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
				t.Error("nobody is told for how long calls are limited")
			}
		case "flaky":
			if answer := wants(cause, s.meets(cause), cause.Status, cause.Code); answer.Header.Get("Retry-After") == "" {
				t.Error("nobody is told when to try again")
			}
			wants(cause, s.meets(cause), http.StatusOK, "patientRequestId")
		case "slow":
			begun := time.Now()
			if wants(cause, s.meets(cause), cause.Status, "patientRequestId"); time.Since(begun) < 3*time.Second {
				t.Errorf("%s is answered after %s", cause.Name, time.Since(begun))
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
	s.flags = []string{"--webhook-timeout=10s"}
	s.start()
	sent := 0
	for way, want := range map[string]string{
		"well": "delivered", "slow": "delivered", "error": "http_5xx", "redirect": "http_3xx", "closed": "connection_closed",
		"untrusted": "tls_untrusted", "silent": "timeout_answer",
	} {
		if said := s.mustSteer("receiver", way); !strings.Contains(said, "https://") {
			t.Errorf("%s: %s", way, said)
		}
		s.run("webhook", "trigger", "consultation.started", "--dir", s.dir)
		sent++
		waitFor(t, func() bool {
			deliveries := s.run("audit", "deliveries", "--json", "--database-url", s.info.Load().DatabaseURL)
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
	output, err := exec.CommandContext(t.Context(), binary(t), "completion", "words", "--", "sandbox", "receiver", "").Output()
	if err != nil {
		t.Fatal(err)
	}
	if typed := strings.Fields(string(output)); strings.Join(typed, " ") != strings.Join(sandbox.Ways(), " ") {
		t.Errorf("typed %v, known %v", typed, sandbox.Ways())
	}
}

// For root, the data lives outside of a directory that nobody else may enter.
func TestARemovalLeavesNothingOfTheSandboxAndAllElse_D96(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	closed := t.TempDir()
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	s.dir = filepath.Join(closed, "sandbox")
	if said, done := s.steers("remove", "--yes"); done || !strings.Contains(said, "no sandbox") {
		t.Errorf("where there is none: %s", said)
	}
	s.start()
	data, err := filepath.EvalSymlinks(filepath.Join(s.dir, "postgres"))
	if err != nil || (os.Geteuid() == 0) != (filepath.Dir(data) != s.dir) {
		t.Fatalf("its data is in %s (%v)", data, err)
	}
	sockets := s.info.Load().AdminDatabaseURL
	other := filepath.Join(s.dir, "notes.txt")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if said, done := s.steers("remove", "--yes"); done || !strings.Contains(said, "a sandbox runs in") {
		t.Errorf("while it runs: %s", said)
	}
	s.kill() // Postgres lives on
	if said, done := s.steers("remove"); done || !strings.Contains(said, "--yes") || !strings.Contains(said, data) {
		t.Errorf("unasked: %s", said)
	}
	said := s.mustSteer("remove", "--yes")
	if !strings.Contains(said, data) || !strings.Contains(said, "notes.txt") {
		t.Errorf("it says %s", said)
	}
	left, err := os.ReadDir(s.dir)
	if err != nil || len(left) != 1 || left[0].Name() != "notes.txt" {
		t.Errorf("left are %v (%v)", left, err)
	}
	for _, path := range []string{data, data + ".lock", socketDir(t, sockets)} {
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", path, err)
		}
	}
	s.process = nil
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	s.start()
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	s.mustSteer("remove", "--yes")
	if _, err := os.Stat(s.dir); !os.IsNotExist(err) {
		t.Errorf("an empty directory is left: %v", err)
	}
}

func socketDir(t *testing.T, databaseURL string) string {
	t.Helper()
	address, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	return address.Query().Get("host")
}
