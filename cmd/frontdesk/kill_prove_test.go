//go:build prove

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
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/sandbox"
)

const (
	submissions = 2000
	clients     = 8
	kills       = 10
)

// TestProveThatKillsLoseNothing kills the whole program with SIGKILL while
// clients submit, starts it again, and compares what was answered with what the
// log holds: every answered request once, and no gap.
func TestProveThatKillsLoseNothing(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.start()
	answered := &answers{}
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for range clients {
		group.Go(func() { s.submitUntil(ctx, answered) })
	}
	for n := range kills {
		waitFor(t, func() bool { return answered.count() >= (n+1)*submissions/(kills+1) })
		s.kill()
		s.start()
	}
	waitFor(t, func() bool { return answered.count() >= submissions })
	stop()
	group.Wait()
	s.compare(answered)
}

// program is a sandbox that runs as a process of its own.
type program struct {
	t       *testing.T
	binary  string
	dir     string
	process *exec.Cmd
	info    atomic.Pointer[sandbox.Info]
}

func newSandbox(t *testing.T) *program {
	t.Helper()
	s := &program{t: t, binary: filepath.Join(t.TempDir(), "frontdesk"), dir: t.TempDir()}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", s.binary, ".")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, output)
	}
	t.Cleanup(s.stop)
	return s
}

func (s *program) start() {
	s.t.Helper()
	s.process = exec.Command(s.binary, "sandbox", "--dir", s.dir, "--listen", "127.0.0.1:0", "--private-listen", "127.0.0.1:0")
	s.process.Stderr = &bytes.Buffer{}
	if err := s.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	pid := s.process.Process.Pid
	waitFor(s.t, func() bool {
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
	_ = s.process.Wait()
	s.info.Store(nil)
	_ = os.Remove(filepath.Join(s.dir, "sandbox.json"))
}

func (s *program) stop() {
	if s.process == nil {
		return
	}
	_ = s.process.Process.Signal(os.Interrupt)
	_ = s.process.Wait()
}

// answers are the requests that were answered 200.
type answers struct {
	mu  sync.Mutex
	ids []uuid.UUID
}

func (a *answers) add(id uuid.UUID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ids = append(a.ids, id)
}

func (a *answers) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.ids)
}

func (s *program) submitUntil(ctx context.Context, answered *answers) {
	for ctx.Err() == nil {
		id, err := s.submit(ctx)
		if err == nil {
			answered.add(id)
			continue
		}
		select { // it is being killed, or started again
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (s *program) submit(ctx context.Context) (uuid.UUID, error) {
	info := s.info.Load()
	if info == nil {
		return uuid.Nil, fmt.Errorf("not running")
	}
	minter, err := sandbox.NewMinter(info.Application.PrivateKeyFile, info.Application.KID, info.Application.ID)
	if err != nil {
		return uuid.Nil, err
	}
	token, err := minter.Mint("", time.Now())
	if err != nil {
		return uuid.Nil, err
	}
	body := fmt.Sprintf(`{"patientId":%q,"requestType":"medical","requester":"patient",
		"response":[{"question":"healthConcern","answer":"A cough"}]}`, info.Patients[0].ID)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, info.APIURL+"/transactional-api/create-patient-request", strings.NewReader(body))
	if err != nil {
		return uuid.Nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(r)
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

// compare reads the log through the program's own reader, which refuses gaps.
func (s *program) compare(answered *answers) {
	s.t.Helper()
	engine, err := app.Open(s.t.Context(), app.Config{DatabaseURL: s.info.Load().DatabaseURL})
	if err != nil {
		s.t.Fatal(err)
	}
	defer engine.Close()
	if err := engine.Drain(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	logged, events := map[uuid.UUID]int{}, 0
	for e, err := range engine.Log.After(s.t.Context(), 0) {
		if err != nil {
			s.t.Fatal(err)
		}
		events++
		if e.EventName() == "patient-request.submitted.v1" {
			logged[e.Stream.ID]++
		}
	}
	for _, id := range answered.ids {
		if logged[id] != 1 {
			s.t.Errorf("request %s was answered and is %d times in the log", id, logged[id])
		}
	}
	s.t.Logf("%d kills, %d requests answered, %d in the log (the others were killed before their answer), %d events without a gap",
		kills, len(answered.ids), len(logged), events)
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
