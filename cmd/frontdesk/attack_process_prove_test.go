//go:build prove

package main_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/cmd/frontdesk/testworld"
)

// victim is a `frontdesk serve` of the town.
type victim struct {
	address string // of the public listener
	pid     int
}

// serve starts the real program, and kills it when t is over.
func (in *town) serve(t *testing.T) victim {
	t.Helper()
	process := in.cores.command(in.cores.service, testworld.Binary(t), "serve",
		"--database-url", in.database.URL("frontdesk", "frontdesk_app"), "--listen=127.0.0.1:0", "--private-listen=127.0.0.1:0",
		"--api-domain="+apiDomain, "--auth-url=http://"+pagesHost, "--allow-network=127.0.0.0/8")
	process.Env = append(os.Environ(), "FRONTDESK_MASTER_KEY="+base64.StdEncoding.EncodeToString(theMasterKey[:]))
	said, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	process.Stderr = said
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = process.Process.Kill(); _ = process.Wait() })
	s := victim{pid: process.Process.Pid}
	waitFor(t, func() bool {
		at, _ := servingIn(said.Name())
		s.address = strings.TrimPrefix(at, "http://")
		return at != ""
	})
	return s
}

// besieger is the process of an attacker. It is this test's own binary, run once
// more, so that attackers and honest callers share no core.
type besieger struct {
	t       *testing.T
	process *exec.Cmd
	stop    io.Closer
	said    *json.Decoder
}

// theAttack is the environment variable that turns a test binary into an attacker.
const theAttack = "FRONTDESK_TEST_ATTACK"

// besiege begins an attack.
func (in *town) besiege(t *testing.T, a attack, address string) *besieger {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b := &besieger{t: t, process: in.cores.command(in.cores.attackers, self)}
	b.process.Env, b.process.Stderr = append(os.Environ(), theAttack+"="+a.name), os.Stderr
	orders, err := b.process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	report, err := b.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.process.Process.Kill() })
	b.stop, b.said = orders, json.NewDecoder(report)
	if err := json.NewEncoder(orders).Encode(target{address, in.attacker, in.hanging, in.staff[0]}); err != nil {
		t.Fatal(err)
	}
	return b
}

// end stops the attack, whose connections end with its process, and returns the attacker's
// tally.
func (b *besieger) end() (seen tally) {
	b.t.Helper()
	b.stop.Close()
	impatient := time.AfterFunc(10*time.Second, func() { _ = b.process.Process.Kill() })
	defer impatient.Stop()
	if err := b.said.Decode(&seen); err != nil {
		b.t.Errorf("the attacker's report: %v", err)
	}
	_ = b.process.Wait()
	return seen
}
