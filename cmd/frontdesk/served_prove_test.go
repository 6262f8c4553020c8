//go:build prove

package main_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
)

// servingIn returns the URLs at which a log says that the program serves; "" while it
// does not say so.
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
type served struct{ url, private string }

// serve starts one more process.
func (s *busy) serve(url, durability string, more ...string) {
	s.t.Helper()
	t := s.t
	certificate := filepath.Join(t.TempDir(), "receiver.pem")
	s.must(os.WriteFile(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.receiver.Certificate().Raw}), 0o600))
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), binary(t), "serve", "--durability", durability, "--database-url", url,
		"--listen=127.0.0.1:0", "--private-listen=127.0.0.1:0", "--api-domain=frontdesk.test", "--auth-url=https://auth.frontdesk.test",
		"--allow-network=127.0.0.0/8", "--webhook-age-limit=1h")
	cmd.Args = append(cmd.Args, more...)
	cmd.Env = append(os.Environ(), "FRONTDESK_MASTER_KEY="+base64.StdEncoding.EncodeToString(theMasterKey[:]), "SSL_CERT_FILE="+certificate)
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	serving := make(chan *served, 1)
	var reading sync.WaitGroup
	reading.Go(func() {
		said := map[string]bool{} // while a database is away, some of it is said many times a second
		for lines.Scan() {
			var line struct {
				Level, Msg, URL string
				PrivateURL      string `json:"private_url"`
			}
			_ = json.Unmarshal(lines.Bytes(), &line)
			if line.Msg == "serving" {
				serving <- &served{line.URL, line.PrivateURL}
			}
			if line.Level != "INFO" && !said[line.Msg] {
				t.Logf("%s", lines.Text())
			}
			said[line.Msg] = true
		}
	})
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		reading.Wait()
		_ = cmd.Wait()
	})
	select {
	case process := <-serving:
		s.served = append(s.served, process)
		s.last, s.silent = append(s.last, time.Now()), append(s.silent, 0)
	case <-time.After(time.Minute):
		t.Fatal("frontdesk serve does not serve")
	}
}
