package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/sandbox"
)

// program is a sandbox that runs as a process of its own.
type program struct {
	t        *testing.T
	binary   string
	dir      string
	env      []string // besides the test's own
	flags    []string // besides those that every test needs
	private  string   // where it is told to serve metrics
	process  *exec.Cmd
	exited   chan error // of the process, once
	greeting *os.File   // what it prints
	info     atomic.Pointer[sandbox.Info]
}

func newSandbox(t *testing.T) *program {
	t.Helper()
	s := &program{t: t, dir: postgrestest.Dir(t), binary: binary(t), private: "127.0.0.1:0"}
	t.Cleanup(func() { _ = s.stop() })
	return s
}

func (s *program) start() {
	s.t.Helper()
	s.process = exec.CommandContext(context.WithoutCancel(s.t.Context()), s.binary, "sandbox", "--dir", s.dir, "--listen", "127.0.0.1:0", "--private-listen", s.private)
	s.process.Args = append(s.process.Args, s.flags...)
	s.process.Env = append(os.Environ(), s.env...)
	if s.greeting != nil {
		s.process.Stdout = s.greeting
	}
	var complaints bytes.Buffer
	s.process.Stderr = &complaints
	if err := s.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	process, exited := s.process, make(chan error, 1)
	go func() { exited <- process.Wait() }()
	s.exited = exited
	pid := s.process.Process.Pid
	waitFor(s.t, func() bool {
		if len(exited) > 0 {
			s.t.Fatalf("the sandbox has exited: %s", &complaints)
		}
		info, err := sandbox.ReadInfo(s.dir)
		if err != nil || !answers200(info.PrivateURL+"/readyz") {
			return false
		}
		s.info.Store(&info)
		return true
	})
	s.t.Logf("sandbox runs as %d", pid)
}

func answers200(url string) bool {
	response, err := http.Get(url)
	if err != nil {
		return false
	}
	defer func() { _ = response.Body.Close() }()
	return response.StatusCode == http.StatusOK
}

func (s *program) kill() {
	_ = s.process.Process.Kill()
	if err := <-s.exited; err == nil {
		s.t.Error("the program ended by itself before it was killed")
	}
	s.info.Store(nil)
	_ = os.Remove(filepath.Join(s.dir, "sandbox.json"))
}

// stop tells the program to stop, as a service manager would, and returns what
// it exited with.
func (s *program) stop() error {
	if s.process == nil {
		return nil
	}
	_ = s.process.Process.Signal(syscall.SIGTERM)
	s.process = nil
	return <-s.exited
}

// binary is the program, built once for all tests of this package.
func binary(t *testing.T) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "frontdesk-binary-")
	if err != nil {
		return "", err
	}
	builtIn.Store(&dir)
	path := filepath.Join(dir, "frontdesk")
	output, err := exec.CommandContext(context.Background(), "go", "build", "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w: %s", err, output)
	}
	return path, nil
})

// builtIn is the folder of the program, if a test has asked for it.
var builtIn atomic.Pointer[string]

// TestMain removes the program that was built.
func TestMain(m *testing.M) {
	status := m.Run()
	if dir := builtIn.Load(); dir != nil {
		_ = os.RemoveAll(*dir)
	}
	os.Exit(status)
}

func (s *program) submit(ctx context.Context) (uuid.UUID, error) {
	response, err := s.send(ctx, "")
	if err != nil {
		return uuid.Nil, err
	}
	defer func() { _ = response.Body.Close() }()
	var made struct{ PatientRequestID uuid.UUID }
	if err := json.NewDecoder(response.Body).Decode(&made); err != nil || response.StatusCode != http.StatusOK {
		return uuid.Nil, fmt.Errorf("answered %d, %w", response.StatusCode, err)
	}
	return made.PatientRequestID, nil
}

// send sends a patient request with more members, each with a comma before it.
func (s *program) send(ctx context.Context, more string) (*http.Response, error) {
	info := s.info.Load()
	if info == nil {
		return nil, fmt.Errorf("not running")
	}
	minter, err := sandbox.NewMinter(info.Application.PrivateKeyFile, info.Application.KID, info.Application.ID)
	if err != nil {
		return nil, err
	}
	token, err := minter.Mint("", time.Now())
	if err != nil {
		return nil, err
	}
	body := fmt.Sprintf(`{"patientId":%q,"requestType":"medical","requester":"patient",
		"response":[{"question":"healthConcern","answer":"A cough"}]%s}`, info.Patients[0].ID, more)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, info.APIURL+"/transactional-api/create-patient-request", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	return http.DefaultClient.Do(r)
}

func waitFor(t *testing.T, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(3 * time.Minute)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatal("waited for three minutes")
		}
		time.Sleep(20 * time.Millisecond)
	}
}
