//go:build prove

package main_test

import (
	"context"
	"encoding/hex"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/provetest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/testworld"
)

// trial is the program as a process, a cluster of its own, and clients that call all
// along.
type trial struct {
	t            *testing.T
	postgres     *embedded.Server
	data         string // the cluster's directory
	url, private string
	integrator   bearertest.Application
	patient      string
	client       *http.Client
	stop         func() // the clients
	goroutines   int    // of the program, at rest
	mu           sync.Mutex
	kinds        map[string]counts
	stored       []uuid.UUID // answered 200
}

func newTrial(t *testing.T, dir string) *trial {
	t.Helper()
	s := &trial{t: t, data: filepath.Join(dir, "postgres"), kinds: map[string]counts{}, client: &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: 3 * clientsOfEach},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	s.startPostgres(dir)
	s.onboard()
	s.startProgram()
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for kind, request := range s.requests() {
		for range clientsOfEach {
			group.Go(func() { s.callUntil(ctx, kind, request) })
		}
	}
	s.stop = func() { cancel(); group.Wait() }
	t.Cleanup(s.stop)
	s.serves()
	s.goroutines = s.running()
	return s
}

func (s *trial) startPostgres(dir string) {
	s.t.Helper()
	var err error
	s.postgres, err = embedded.Start(s.t.Context(), embedded.Config{Dir: dir})
	s.must(err)
	s.t.Cleanup(func() {
		if err := s.postgres.Stop(context.Background()); err != nil {
			s.t.Error(err)
		}
	})
	admin := s.postgres.URL("frontdesk", embedded.Superuser)
	s.must(s.postgres.EnsureDatabase(s.t.Context(), "frontdesk"))
	s.must(postgres.CreateRoles(s.t.Context(), admin))
	_, err = postgres.Migrate(s.t.Context(), admin)
	s.must(err)
}

// engine is the program's engine in this process.
func (s *trial) engine() *app.Engine {
	s.t.Helper()
	engine, err := app.Open(s.t.Context(), app.Config{
		DatabaseURL: s.postgres.URL("frontdesk", postgres.AppRole), AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		MasterKeys: sealing.NewRing(theMasterKey),
	})
	s.must(err)
	return engine
}

// onboard has a practice, a patient, and an application that may submit.
func (s *trial) onboard() {
	s.t.Helper()
	engine := s.engine()
	defer engine.Close()
	s.integrator, s.patient = onboard(s.t, engine)
}

// startProgram starts the binary and waits for the line with its address.
func (s *trial) startProgram() {
	s.t.Helper()
	said := filepath.Join(s.t.TempDir(), "said")
	log, err := os.Create(said)
	s.must(err)
	serve := exec.CommandContext(context.WithoutCancel(s.t.Context()), testworld.Binary(s.t), "serve", "--listen", "127.0.0.1:0",
		"--private-listen", "127.0.0.1:0", "--api-domain", "frontdesk.test", "--auth-url", "http://auth.frontdesk.test",
		"--allow-network", "127.0.0.0/8")
	serve.Env = append(os.Environ(), "FRONTDESK_DATABASE_URL="+s.postgres.URL("frontdesk", postgres.AppRole),
		"FRONTDESK_MASTER_KEY="+hex.EncodeToString(theMasterKey[:]))
	serve.Stderr = log
	s.must(serve.Start())
	s.t.Cleanup(func() {
		_ = serve.Process.Signal(syscall.SIGTERM)
		if err := serve.Wait(); err != nil {
			s.t.Errorf("the program ended on its own, or with an error: %v", err)
		}
		_ = log.Close()
	})
	waitFor(s.t, func() bool {
		s.url, s.private = servingIn(said)
		return s.url != ""
	})
}

// running is how many goroutines the program has.
func (s *trial) running() int {
	s.t.Helper()
	found, err := metricsAt(s.t.Context(), s.private)
	s.must(err)
	number, told := found["go_goroutines"]
	if !told {
		s.t.Fatal("the program shows no number of goroutines")
	}
	return int(number)
}

// end stops the clients, and compares their answers with the log. Its reader refuses gaps.
func (s *trial) end() {
	s.t.Helper()
	waitFor(s.t, func() bool { return s.running() < s.goroutines+50 })
	s.stop()
	engine := s.engine()
	defer engine.Close()
	s.must(engine.Drain(s.t.Context()))
	logged := map[uuid.UUID]int{}
	for e, err := range engine.Log.After(s.t.Context(), 0) {
		s.must(err)
		logged[e.Stream.ID]++
	}
	for _, id := range s.stored {
		if logged[id] != 1 {
			s.t.Errorf("request %s was answered 200 and is %d times in the log", id, logged[id])
		}
	}
	for kind, found := range s.kinds {
		s.t.Logf("%s: %d answered 200, %d answered 503, the slowest took %s", kind, found.served, found.refused, found.slowest.Round(time.Millisecond))
	}
	provetest.Tried(s.t, len(s.stored), "requests answered")
	s.t.Logf("%d requests were answered 200, and each is in the log once", len(s.stored))
}

func (s *trial) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}
