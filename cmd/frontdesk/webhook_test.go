package main_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// run runs another command of the program and returns what it printed.
func (s *program) run(args ...string) string {
	s.t.Helper()
	output, err := exec.CommandContext(s.t.Context(), s.binary, args...).Output()
	if err != nil {
		s.t.Fatalf("%v: %v", args, err)
	}
	return string(output)
}

// received is the webhooks that the sandbox's receiver has verified and kept.
func (s *program) received() (webhooks []map[string]any) {
	s.t.Helper()
	file, err := os.ReadFile(s.info.Load().WebhookReceiver.Log)
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range strings.Lines(string(file)) {
		var webhook map[string]any
		if json.Unmarshal([]byte(line), &webhook) == nil {
			webhooks = append(webhooks, webhook)
		}
	}
	return webhooks
}

func TestEveryEventKindReachesTheSandboxsReceiver_6(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.start()
	for _, kind := range []string{"record.opened", "consultation.started", "callin.notification.removed"} { // the last one shows first
		s.run("webhook", "trigger", kind, "--dir", s.dir)
	}
	waitFor(t, func() bool { return len(s.received()) == 4 })
	kinds := map[any]int{}
	for _, webhook := range s.received() {
		kinds[webhook["event"]]++
		if webhook["tenantId"] != s.info.Load().TenantID || webhook["iss"] != "service" || webhook["data"] == nil {
			t.Errorf("received %v", webhook)
		}
	}
	if len(kinds) != 4 {
		t.Errorf("received %v", kinds)
	}
	deliveries := s.run("audit", "deliveries", "--json", "--status=delivered", "--database-url", s.info.Load().DatabaseURL)
	if n := strings.Count(deliveries, "\n"); n != 4 {
		t.Errorf("%d deliveries are listed as delivered:\n%s", n, deliveries)
	}
}

// An integrator's own receiver, on the same machine, is trusted as it is.
func TestWebhookListenPrintsWhatArrives(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.start()
	info := *s.info.Load()
	listen := exec.CommandContext(t.Context(), s.binary, "webhook", "listen", "--dir", s.dir, "--listen=127.0.0.1:0", "--json")
	out, err := listen.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	said, err := listen.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := listen.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listen.Process.Kill(); _ = listen.Wait() })
	first, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := strings.Fields(first)[2] // Receiving on https://… .
	s.run("set-webhook", "--database-url", info.DatabaseURL, "--application", info.Application.ID.String(),
		"--event=record.opened", "--url", url, "--allow-network=127.0.0.0/8")
	s.run("webhook", "trigger", "record.opened", "--dir", s.dir)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.Contains(line, `"event":"record.opened"`) {
		t.Errorf("printed %q, %v", line, err)
	}
}
