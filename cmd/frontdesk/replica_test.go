package main_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/testworld"
)

// theMasterKey is that of all processes, and of the engines of tests.
var theMasterKey = sealing.MasterKey{1}

// place is where a process of the service listens.
type place struct{ public, private string }

// replica is one process of the service.
type replica struct {
	t       *testing.T
	place   place
	args    []string
	process *exec.Cmd
	exited  chan error // of the process, once
	said    *bytes.Buffer
}

// start runs a program there, and waits until it is ready.
func (r *replica) start(program string) {
	r.t.Helper()
	r.said = &bytes.Buffer{}
	r.process = exec.CommandContext(context.WithoutCancel(r.t.Context()), program, append([]string{"serve",
		"--listen", r.place.public, "--private-listen", r.place.private}, r.args...)...)
	r.process.Stderr = r.said
	if err := r.process.Start(); err != nil {
		r.t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- r.process.Wait() }()
	r.exited = exited
	waitFor(r.t, func() bool {
		if len(exited) > 0 {
			r.t.Fatalf("the process at %s has ended: %s", r.place.public, lastLines(r.said.String()))
		}
		return testworld.Answers("http://" + r.place.private + "/readyz")
	})
}

// stop sends it the signal to stop, as a service manager would, and waits until it has.
func (r *replica) stop() time.Duration {
	r.t.Helper()
	if r.process == nil {
		return 0
	}
	begun := clock.Start()
	_ = r.process.Process.Signal(syscall.SIGTERM)
	if err := <-r.exited; err != nil {
		r.t.Errorf("the process at %s ended with %v: %s", r.place.public, err, lastLines(r.said.String()))
	}
	r.process = nil
	return begun.Elapsed()
}

func lastLines(text string) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}

// serveArgs are the flags that all processes on one database have alike.
func serveArgs(t *testing.T, database string) []string {
	t.Helper()
	key := filepath.Join(t.TempDir(), "master.key")
	writeFile(t, key, base64.StdEncoding.EncodeToString(theMasterKey[:]))
	return []string{"--database-url", database, "--api-domain", "example.com", "--auth-url", "https://auth.example.com",
		"--master-key-file", key, "--allow-network", "127.0.0.0/8", "--trusted-proxy", "127.0.0.0/8", "--rate-limit=0"} // one application makes all calls
}

func freePlace(t *testing.T) place { return place{freeAddress(t), freeAddress(t)} }

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestASecondSignalEndsTheDelay_D47(t *testing.T) {
	t.Parallel()
	r := &replica{t: t, place: freePlace(t), args: append(serveArgs(t, postgrestest.New(t).URL), "--drain-delay", "24h")}
	t.Cleanup(func() { r.stop() })
	r.start(testworld.Binary(t))
	_ = r.process.Process.Signal(syscall.SIGTERM)
	waitFor(t, func() bool {
		response, err := http.Get("http://" + r.place.private + "/readyz")
		if err != nil {
			t.Fatalf("it has stopped at the first signal: %v", err)
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusServiceUnavailable
	})
	if len(r.exited) > 0 || !testworld.Answers("http://"+r.place.private+"/healthz") {
		t.Error("it does not wait for the delay")
	}
	r.stop()
}
