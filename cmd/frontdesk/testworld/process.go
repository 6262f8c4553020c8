package testworld

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"frontdesk/adapters/clock"
)

// Process is a frontdesk that runs as a process of its own.
type Process struct {
	URL, PrivateURL string // where `frontdesk serve` serves

	cmd    *exec.Cmd
	exited chan struct{} // closed when it has ended
	err    error         // its exit status; to be read once exited is closed
	log    *transcript
}

// Start starts `frontdesk serve` on the database, waits until it serves, and stops it when
// the test ends.
func (w *World) Start(flags ...string) *Process {
	w.tb.Helper()
	cmd := Command(w.tb, append([]string{"serve", "--database-url", w.DB.URL, "--listen=127.0.0.1:0", "--private-listen=127.0.0.1:0",
		"--api-domain", APIDomain, "--auth-url=https://auth." + APIDomain, "--allow-network=127.0.0.0/8"}, flags...)...)
	cmd.Env = append(os.Environ(), "FRONTDESK_MASTER_KEY="+base64.StdEncoding.EncodeToString(MasterKey[:]), "SSL_CERT_FILE="+w.Authority.File)
	p := Start(w.tb, cmd, func(p *Process) bool {
		p.URL, p.PrivateURL = p.log.serving()
		return p.URL != ""
	})
	w.url = p.URL
	return p
}

// Command returns a command of the program, which outlives the test's context.
func Command(tb testing.TB, args ...string) *exec.Cmd {
	tb.Helper()
	return exec.CommandContext(context.WithoutCancel(tb.Context()), Binary(tb), args...)
}

// Start starts a command, waits until it is ready, and stops it when the test ends. It
// fails the test if the command ends before.
func Start(tb testing.TB, cmd *exec.Cmd, ready func(*Process) bool) *Process {
	tb.Helper()
	p, err := begin(cmd)
	Must(tb, err)
	tb.Cleanup(func() { _ = p.Stop() })
	Must(tb, p.until(startLimit, func() bool { return ready(p) }))
	return p
}

// until waits until the process is ready, and fails if it ends before.
func (p *Process) until(limit time.Duration, ready func() bool) error {
	for watch := clock.Start(); !ready(); time.Sleep(10 * time.Millisecond) {
		if !p.Running() {
			return fmt.Errorf("%s has ended with %w: %s", p.cmd, p.err, p.Log())
		}
		if watch.Elapsed() > limit {
			return fmt.Errorf("%s is not ready after %s: %s", p.cmd, limit, p.Log())
		}
	}
	return nil
}

func begin(cmd *exec.Cmd) (*Process, error) {
	p := &Process{cmd: cmd, exited: make(chan struct{}), log: &transcript{}}
	if cmd.Stderr = p.log; cmd.Stdout == nil {
		cmd.Stdout = p.log
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.exited)
		p.err = cmd.Wait()
	}()
	return p, nil
}

// PID returns the number of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Running reports whether the process has not ended.
func (p *Process) Running() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// Log returns the output of the process so far.
func (p *Process) Log() string { return p.log.String() }

// Signal sends the process a signal.
func (p *Process) Signal(signal os.Signal) { _ = p.cmd.Process.Signal(signal) }

// Kill kills the process, and waits until it has ended.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	<-p.exited
}

// Longer than any process takes, even on a busy machine.
const (
	startLimit = 5 * time.Minute
	stopLimit  = 3 * time.Minute
)

// Stop sends the process the signal to stop, as a service manager does, waits until it has
// ended, and returns its exit status as an error.
func (p *Process) Stop() error {
	p.Signal(syscall.SIGTERM)
	return p.Wait()
}

// Wait waits until the process has ended, and returns its exit status as an error.
func (p *Process) Wait() error {
	select {
	case <-p.exited:
		return p.err
	case <-time.After(stopLimit):
		p.Kill()
		return fmt.Errorf("%s did not stop within %s: %s", p.cmd, stopLimit, p.Log())
	}
}

// transcript is the output of a process.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write adds to the transcript.
func (t *transcript) Write(line []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(line)
}

// String returns the transcript so far.
func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

// serving returns the addresses in the process's output; "" before it serves.
func (t *transcript) serving() (url, private string) {
	for text := range strings.Lines(t.String()) {
		var line struct {
			Msg, URL string
			Private  string `json:"private_url"`
		}
		if json.Unmarshal([]byte(text), &line) == nil && line.Msg == "serving" {
			return line.URL, line.Private
		}
	}
	return "", ""
}
