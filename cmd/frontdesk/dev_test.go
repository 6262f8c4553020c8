package main_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/cmd/frontdesk/devkit/dev"
	"frontdesk/cmd/frontdesk/testworld"
)

// With a running sandbox, the code base is an application of its own there, from one start to
// the next. The sandbox is unaffected by it.
func TestCodeBaseIsAnApplicationOfTheSandbox_D97(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Start()
	c := newCodeBase(t, s.Dir)
	first := c.start("--callback=http://127.0.0.1/callback")
	if id := s.Info().Application.ID; first.Application.ID == id || first.Application.Name != "triage helper" {
		t.Errorf("it is %+v", first.Application)
	}
	c.wantPing(first)
	if user := c.wantPing(first, "--sub=sam.taylor"); user != "sam.taylor" {
		t.Errorf("with --sub it acts for %q", user)
	}
	if err := os.Mkdir(filepath.Join(c.dir, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	c.dir = filepath.Join(c.dir, "below") // as with git, it is also found from there
	c.wantPing(first)
	c.dir = filepath.Dir(c.dir)
	if _, said := c.run("token", "mint"); !strings.Contains(said, first.Application.ID.String()) {
		t.Errorf("token mint does not name the user: %q", said)
	}
	if who, _, err := c.ping(first.APIURL, "--dir", s.Dir); err != nil || who != s.Info().Application.ID.String() {
		t.Errorf("with --dir it is %s that calls, %v", who, err)
	}

	if said, _ := c.run("integrator", "application"); !strings.Contains(said, first.Application.ID.String()) || !strings.Contains(said, "http://127.0.0.1/callback") {
		t.Errorf("it is set up as\n%s", said)
	}

	for n, event := range []string{"record.opened", "consultation.started", "callin.notification.removed"} {
		s.Run("webhook", "trigger", event, "--dir", s.Dir)
		c.takes(n + 1)
	}
	for _, webhook := range c.takes(4) {
		if media := webhook.Header.Get("Content-Type"); media != "application/jwt" || strings.Count(webhook.Body, ".") != 2 {
			t.Errorf("the program got %s: %s", media, webhook.Body)
		}
	}
	c.until("your program answered 200", 4)

	if err := c.stop(); err != nil {
		t.Errorf("it exited with %v: %s", err, c.output())
	}
	if _, err := os.Stat(filepath.Join(c.dir, ".frontdesk-dev", "dev.json")); !os.IsNotExist(err) {
		t.Errorf("dev.json outlived its dev: %v", err)
	}
	if _, err := s.submit(t.Context()); err != nil {
		t.Errorf("the sandbox was harmed: %v", err)
	}
	s.Run("webhook", "trigger", "record.opened", "--dir", s.Dir)
	waitFor(t, func() bool { return len(s.received()) == 5 }) // the sandbox's own receiver has it
	if failed := s.Run("audit", "deliveries", "--json", "--status=failed", "--database-url", s.Info().DatabaseURL); failed != "" {
		t.Errorf("the sandbox sends webhooks to an address without a receiver: %s", failed)
	}

	again := c.start()
	if again.Application.ID != first.Application.ID || again.Application.KID != first.Application.KID || keyTo(again) != keyTo(first) {
		t.Errorf("the second start is %+v, the first was %+v", again.Application, first.Application)
	}
	c.wantPing(again)
}

// keyTo is the key to the page.
func keyTo(r dev.Running) string {
	_, key, _ := strings.Cut(r.PageURL, "key=")
	return key
}

// A sandbox that dev has started stops with it. If it cannot start, dev reports why.
func TestACodeBaseHasASandboxOfItsOwn_D97(t *testing.T) {
	t.Parallel()
	c := newCodeBase(t, ".frontdesk")
	running := c.start("--listen-api=127.0.0.1:0")
	s := &program{&testworld.Sandbox{Dir: filepath.Join(c.dir, ".frontdesk")}, t}
	c.wantPing(running)
	for _, name := range []string{".frontdesk", ".frontdesk-dev"} {
		if ignored, err := os.ReadFile(filepath.Join(c.dir, name, ".gitignore")); err != nil || string(ignored) != "*\n" {
			t.Errorf("%s may get into version control: %q, %v", name, ignored, err)
		}
	}

	second := c.command(t.Context(), "dev", "--dir", c.sandbox)
	said, _ := second.CombinedOutput()
	if second.ProcessState.ExitCode() != 1 || strings.Count(string(said), "\n") != 1 || !strings.Contains(string(said), running.PageURL) || !strings.Contains(string(said), "--key-dir") {
		t.Errorf("a second start exits with %d: %s", second.ProcessState.ExitCode(), said)
	}
	c.wantPing(running)

	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, args := range [][]string{
		{"--listen", taken.Addr().String()}, {"--listen=127.0.0.1:0", "--listen-webhooks", taken.Addr().String()},
		{"--listen=0.0.0.0:0"}, {"--listen=127.0.0.1:0", "--forward-to=localhost:3000"},
	} {
		other := c.command(t.Context(), append([]string{"dev", "--dir", c.sandbox, "--key-dir=other"}, args...)...)
		said, _ := other.CombinedOutput()
		if code := other.ProcessState.ExitCode(); code != 1 || !strings.Contains(string(said), args[len(args)-1][strings.LastIndex(args[len(args)-1], "=")+1:]) && !strings.Contains(string(said), "http://localhost:3000/hook") {
			t.Errorf("%v exits with %d: %s", args, code, said)
		}
	}
	c.wantPing(running)

	if err := c.stop(); err != nil {
		t.Errorf("it exited with %v: %s", err, c.output())
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "sandbox.json")); !os.IsNotExist(err) || s.postmaster() != 0 {
		t.Errorf("its sandbox goes on: %v, Postgres %d", err, s.postmaster())
	}
}

// A sandbox that stops, comes back elsewhere, is reset or begins afresh finds the
// application again, with the same identifier.
func TestACodeBaseOutlivesItsSandbox_D97(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Start()
	c := newCodeBase(t, s.Dir)
	running := c.start()
	id := running.Application.ID
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	c.until("has stopped. Start it again", 1)
	s.Start()
	c.until("The sandbox is there again.", 1)
	now := running
	now.APIURL = s.Info().APIURL
	c.wantPing(now)

	s.Run("sandbox", "reset", "--dir", s.Dir)
	c.until("registered again, with the same identifier", 1)
	c.wantPing(now)
	s.Run("webhook", "trigger", "record.opened", "--dir", s.Dir)
	c.takes(1)

	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	if err := os.RemoveAll(s.Dir); err != nil { // with the authority that vouched for the receiver
		t.Fatal(err)
	}
	c.until("has stopped. Start it again", 2)
	s.Start()
	c.until("registered again, with the same identifier", 2)
	now.APIURL = s.Info().APIURL
	c.wantPing(now)
	s.Run("webhook", "trigger", "record.opened", "--dir", s.Dir)
	c.takes(2)
	if now.Application.ID != id {
		t.Errorf("it is %s, and was %s", now.Application.ID, id)
	}
}

// A clean-up (git clean) removes neither the key nor the identifier. Without its own
// sandbox's directory, dev ends and reports why.
func TestACodeBaseIsTidiedUp_D97(t *testing.T) {
	t.Parallel()
	c := newCodeBase(t, ".frontdesk")
	running := c.start("--listen-api=127.0.0.1:0")
	keys := filepath.Join(c.dir, ".frontdesk-dev")
	before, err := os.ReadFile(filepath.Join(keys, "key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(keys); err != nil {
		t.Fatal(err)
	}
	c.until("was removed. It is there again, with the same key.", 1)
	if after, err := os.ReadFile(filepath.Join(keys, "key.pem")); err != nil || string(after) != string(before) {
		t.Errorf("the key is another one, %v", err)
	}
	c.wantPing(running)
	if err := os.RemoveAll(filepath.Join(c.dir, ".frontdesk")); err != nil {
		t.Fatal(err)
	}
	if err := <-c.exited; err == nil || !strings.Contains(c.output(), "is gone: start it again") {
		t.Errorf("without its sandbox it exited with %v: %s", err, c.output())
	}
	c.process = nil
}
