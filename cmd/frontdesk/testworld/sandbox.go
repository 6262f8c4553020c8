package testworld

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/devkit/sandbox"
)

// Sandbox is `frontdesk sandbox`, as a process of its own with a Postgres of its own.
type Sandbox struct {
	Dir      string
	Flags    []string // besides --dir and the addresses
	Env      []string // besides the test's own
	Private  string   // the address that it is to serve metrics at
	Greeting *os.File // its standard output; nil for none

	tb      testing.TB
	process *Process // nil while it does not run
	info    atomic.Pointer[sandbox.Info]
}

// NewSandbox returns a sandbox in a directory that was seeded before, so that its first
// start takes a moment. It stops when the test ends. For a start from nothing, set another
// Dir.
func NewSandbox(tb testing.TB) *Sandbox {
	tb.Helper()
	dir, err := SeededDir()
	Must(tb, err)
	s := &Sandbox{Dir: dir, Private: "127.0.0.1:0", tb: tb}
	tb.Cleanup(func() {
		_ = s.Stop()
		Must(tb, os.RemoveAll(dir))
	})
	return s
}

// SharedSandbox returns the one that tests of a package share. A test that restarts a
// sandbox, resets it, moves its clock or depends on the actions of others has a [NewSandbox].
func SharedSandbox(tb testing.TB) *Sandbox {
	tb.Helper()
	shared, err := sharedSandbox()
	Must(tb, err)
	s := &Sandbox{Dir: shared.Dir, tb: tb}
	s.info.Store(shared.Info())
	return s
}

var sharedSandbox = sync.OnceValues(func() (*Sandbox, error) {
	dir, err := SeededDir()
	if err != nil {
		return nil, err
	}
	s := &Sandbox{Dir: dir, Private: "127.0.0.1:0"}
	atEnd(func() error { return errors.Join(s.Stop(), os.RemoveAll(dir)) })
	return s, s.launch()
})

// SeededDir returns a new directory with the data of a sandbox that was started once and
// stopped. The caller removes it. To copy the data takes a tenth of a second; to make it,
// seconds, which each process of tests spends once.
func SeededDir() (string, error) {
	seeded, err := seededOnce()
	if err != nil {
		return "", err
	}
	dir, err := postgrestest.MakeDir()
	if err != nil {
		return "", err
	}
	// cp keeps the owner, who is not root.
	if said, err := exec.CommandContext(context.Background(), "cp", "-a", "--reflink=auto", seeded+"/.", dir).CombinedOutput(); err != nil {
		return "", fmt.Errorf("copy the data of a sandbox: %w: %s", err, said)
	}
	return dir, nil
}

var seededOnce = sync.OnceValues(func() (string, error) {
	dir, err := postgrestest.MakeDir()
	if err != nil {
		return "", err
	}
	atEnd(func() error { return os.RemoveAll(dir) })
	s := &Sandbox{Dir: dir, Private: "127.0.0.1:0"}
	if err := s.launch(); err != nil {
		return "", fmt.Errorf("seed a sandbox: %w", err)
	}
	return dir, s.Stop()
})

// Start starts the sandbox, and waits until it serves.
func (s *Sandbox) Start() {
	s.tb.Helper()
	Must(s.tb, s.launch())
	s.tb.Logf("sandbox runs as %d", s.PID())
}

func (s *Sandbox) launch() error {
	program, err := binary()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(context.Background(), program,
		append([]string{"sandbox", "--dir", s.Dir, "--listen", "127.0.0.1:0", "--private-listen", s.Private}, s.Flags...)...)
	cmd.Env = append(os.Environ(), s.Env...)
	if s.Greeting != nil {
		cmd.Stdout = s.Greeting
	}
	if s.process, err = begin(cmd); err != nil {
		return err
	}
	return s.process.until(startLimit, func() bool {
		info, err := sandbox.ReadInfo(s.Dir)
		if err != nil || !Answers(info.PrivateURL+"/readyz") {
			return false
		}
		s.info.Store(&info)
		return true
	})
}

// Info returns the content of the file of its last start; nil before that and after
// [Sandbox.Kill].
func (s *Sandbox) Info() *sandbox.Info { return s.info.Load() }

// PID returns the number of its process.
func (s *Sandbox) PID() int { return s.process.PID() }

// Kill kills the sandbox, which its Postgres outlives.
func (s *Sandbox) Kill() {
	if !s.process.Running() {
		s.tb.Error("the sandbox ended before it was killed")
	}
	s.process.Kill()
	s.process = nil
	s.info.Store(nil)
	_ = os.Remove(filepath.Join(s.Dir, "sandbox.json"))
}

// Stop stops the sandbox, and returns its exit status as an error.
func (s *Sandbox) Stop() error {
	if s.process == nil {
		return nil
	}
	process := s.process
	s.process = nil
	return process.Stop()
}

// Run runs a command of the program, and returns its output.
func (s *Sandbox) Run(args ...string) string {
	s.tb.Helper()
	output, err := Command(s.tb, args...).Output()
	if err != nil {
		s.tb.Fatalf("%v: %v", args, err)
	}
	return string(output)
}

// Answers reports whether an address answers 200.
func Answers(url string) bool {
	response, err := http.Get(url)
	if err != nil {
		return false
	}
	defer func() { _ = response.Body.Close() }()
	return response.StatusCode == http.StatusOK
}
