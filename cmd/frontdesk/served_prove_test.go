//go:build prove

package main_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/clock"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
)

// servingIn returns the URLs in a log's line about serving; "" before it.
func servingIn(log string) (url, private string) {
	file, err := os.Open(log)
	if err != nil {
		return "", ""
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var line struct {
			Msg, URL string
			Private  string `json:"private_url"`
		}
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "serving" {
			return line.URL, line.Private
		}
	}
	return "", ""
}

// onboard makes the practice elm-street with a patient, and an application that may
// submit.
func onboard(t *testing.T, engine *app.Engine) (integrator bearertest.Application, patient string) {
	t.Helper()
	keys := bearertest.NewServer(nil)
	t.Cleanup(keys.Close)
	do, ctx := engine.Desk, t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(do.RegisterPractice(ctx, commands.RegisterPractice{Tenant: "elm-street", Name: "Elm Street"}))
	id, err := do.RegisterApplication(ctx, commands.RegisterApplication{Name: "Integrator", JWKSURL: keys.URL})
	must(err)
	integrator = bearertest.NewApplication(id)
	keys.Publish(integrator.JWKS())
	grant := application.Grant{Endpoint: access.CreatePatientRequest, Mode: application.ApplicationRestricted}
	must(do.GrantEndpoint(ctx, commands.GrantEndpoint{Application: id, Grant: grant}))
	must(do.EnableApplication(ctx, commands.EnableApplication{Tenant: "elm-street", Application: id}))
	ann, err := do.RegisterPatient(ctx, commands.RegisterPatient{Tenant: "elm-street", Name: "Ann Archer"})
	must(err)
	return integrator, ann.String()
}

// served is a process of frontdesk serve.
type served struct {
	url, private string
	pid          int
	counts       *logCounts
}

// logCounts counts a process's log lines.
type logCounts struct {
	mu    sync.Mutex
	lines map[string]int // by message
	bytes map[string]int // by message, with the ends of lines
	worse []string       // lines that are worse than info
}

// add counts a line, and reports whether it is the first one of its message.
func (s *logCounts) add(level, msg, line string) (first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines[msg]++
	s.bytes[msg] += len(line) + 1
	if level != "INFO" && len(s.worse) < 1000 {
		s.worse = append(s.worse, line)
	}
	return s.lines[msg] == 1
}

// serve starts one more process.
func (s *busy) serve(url, durability string, more ...string) {
	s.t.Helper()
	process := serve(s.t, s.receiver, append([]string{"--database-url", url, "--durability", durability, "--webhook-age-limit=1h"}, more...)...)
	s.served = append(s.served, process)
	s.last, s.silent = append(s.last, clock.System()), append(s.silent, 0)
}

// serve starts a process that trusts a receiver of webhooks.
func serve(t *testing.T, receiver *hookCounter, flags ...string) *served {
	t.Helper()
	certificate := filepath.Join(t.TempDir(), "receiver.pem")
	writeFile(t, certificate, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: receiver.Certificate().Raw})))
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), testworld.Binary(t), append([]string{"serve",
		"--listen=127.0.0.1:0", "--private-listen=127.0.0.1:0", "--api-domain=frontdesk.test", "--auth-url=https://auth.frontdesk.test",
		"--allow-network=127.0.0.0/8", "--erasure-ledger=" + filepath.Join(t.TempDir(), "erasures")}, flags...)...)
	cmd.Env = append(os.Environ(), "FRONTDESK_MASTER_KEY="+base64.StdEncoding.EncodeToString(theMasterKey[:]), "SSL_CERT_FILE="+certificate)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	process := &served{pid: cmd.Process.Pid, counts: &logCounts{lines: map[string]int{}, bytes: map[string]int{}}}
	serving := make(chan struct{})
	var reading sync.WaitGroup
	reading.Go(func() { process.listen(t, stderr, serving) })
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		reading.Wait()
		_ = cmd.Wait()
	})
	select {
	case <-serving:
	case <-time.After(time.Minute):
		t.Fatal("frontdesk serve does not serve")
	}
	return process
}

// listen reads a process's log, and shows the first of each message that is worse than info:
// while a database is away, some are logged many times a second.
func (p *served) listen(t *testing.T, stderr io.Reader, serving chan<- struct{}) {
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		var line struct {
			Level, Msg, URL string
			PrivateURL      string `json:"private_url"`
		}
		_ = json.Unmarshal(lines.Bytes(), &line)
		if line.Msg == "serving" {
			p.url, p.private = line.URL, line.PrivateURL
			close(serving)
		}
		if p.counts.add(line.Level, line.Msg, lines.Text()) && line.Level != "INFO" {
			t.Logf("%s", lines.Text())
		}
	}
}
