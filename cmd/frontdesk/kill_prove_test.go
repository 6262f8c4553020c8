//go:build prove

package main_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/app"
)

const clients = 8

var (
	submissions = provetest.Pick(400, 2000)
	kills       = provetest.Pick(2, 10)
)

// TestProveThatKillsLoseNothing kills the whole program with SIGKILL while clients submit,
// starts it again, and compares the answers with the log: every answered request once, and no
// gap.
func TestProveThatKillsLoseNothing(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Start()
	answered := &answers{}
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for range clients {
		group.Go(func() { s.submitUntil(ctx, answered) })
	}
	for n := range kills {
		waitFor(t, func() bool { return answered.count() >= (n+1)*submissions/(kills+1) })
		s.Kill()
		s.Start()
	}
	waitFor(t, func() bool { return answered.count() >= submissions })
	stop()
	group.Wait()
	s.compare(answered)
	provetest.Tried(t, kills, "kills")
	provetest.Tried(t, answered.count(), "requests answered")
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

// compare reads the log through the program's own reader, which refuses gaps.
func (s *program) compare(answered *answers) {
	s.t.Helper()
	engine, err := app.Open(s.t.Context(), app.Config{DatabaseURL: s.Info().DatabaseURL})
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
