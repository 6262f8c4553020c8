package main_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"frontdesk/cmd/frontdesk/testworld"
)

// received is the webhooks that the sandbox's receiver has verified and kept.
func (s *program) received() (webhooks []map[string]any) {
	s.t.Helper()
	file, err := os.ReadFile(s.Info().WebhookReceiver.Log)
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

func TestEveryEventReachesTheSandboxReceiver_6(t *testing.T) {
	t.Parallel()
	s := sharedSandbox(t)                                                                                                      // no other test has it send webhooks
	for _, kind := range []string{"record.opened", "consultation.started", "callin.notification.removed", "request.replied"} { // the third shows first
		s.Run("webhook", "trigger", kind, "--dir", s.Dir)
	}
	waitFor(t, func() bool { return len(s.received()) == 5 })
	kinds := map[any]int{}
	for _, webhook := range s.received() {
		kinds[webhook["event"]]++
		if webhook["tenantId"] != s.Info().TenantID || webhook["iss"] != "service" || webhook["data"] == nil {
			t.Errorf("received %v", webhook)
		}
	}
	if len(kinds) != 5 {
		t.Errorf("received %v", kinds)
	}
	deliveries := s.Run("audit", "deliveries", "--json", "--status=delivered", "--database-url", s.Info().DatabaseURL)
	if n := strings.Count(deliveries, "\n"); n != 5 {
		t.Errorf("%d deliveries are listed as delivered:\n%s", n, deliveries)
	}
}

// An integrator's own receiver, on the same machine, is trusted as it is.
func TestWebhookListenPrintsArrivals(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Start()
	info := *s.Info()
	listen := exec.CommandContext(t.Context(), testworld.Binary(s.t), "webhook", "listen", "--dir", s.Dir, "--listen=127.0.0.1:0", "--json")
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
	s.Run("webhook", "set", "--database-url", info.DatabaseURL, "--application", info.Application.ID.String(),
		"--event=record.opened", "--url", url, "--allow-network=127.0.0.0/8")
	s.Run("webhook", "trigger", "record.opened", "--dir", s.Dir)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.Contains(line, `"event":"record.opened"`) {
		t.Errorf("printed %q, %v", line, err)
	}
}
