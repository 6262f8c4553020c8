package notary

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/proof"
)

// reading is the daily reading of all leaves, concurrent with the rounds. It only finds
// where to look: a round then reads again, with the epoch known.
type reading struct {
	running sync.WaitGroup

	mu      sync.Mutex
	busy    bool
	after   time.Time    // not before then
	outcome *readOutcome // not yet processed by a round
}

// readOutcome is the result of a complete reading.
type readOutcome struct {
	began  time.Time
	differ map[proof.Kind]bool // logs with new differences
}

// begin reports whether the reading is due, and starts it.
func (r *reading) begin(now, verified time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	since := now.Sub(verified) // below 0 after a clock was set back, which must not delay the reading
	if r.busy || since >= 0 && since < everyDay || now.Before(r.after) {
		return false
	}
	r.busy = true
	return true
}

func (r *reading) end(o readOutcome, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy = false
	if err != nil {
		r.after = o.began.Add(tryAgainAll)
		return
	}
	r.outcome = &o
}

// take returns the unprocessed outcome; nil if absent.
func (r *reading) take() *readOutcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.outcome
	r.outcome = nil
	return o
}

// noteReading stores that all leaves were read, and which logs to read again. Both
// survive a restart.
func (s *Signer) noteReading() {
	o := s.reading.take()
	if o == nil {
		return
	}
	s.m.Verified, s.unsaved = o.began, true
	for kind, differ := range o.differ {
		if differ {
			s.m.Logs[kind].Suspect = true
		}
	}
}

// readAllDaily starts reading all leaves if a day has passed.
func (s *Signer) readAllDaily(ctx context.Context) {
	now := s.Now()
	if !s.reading.begin(now, s.m.Verified) {
		return
	}
	was := map[proof.Kind]*progress{}
	for kind, p := range s.m.Logs {
		was[kind] = p.clone()
	}
	s.reading.running.Go(func() {
		differ := map[proof.Kind]bool{}
		var failed error
		for kind, p := range was {
			f, err := s.readUpTo(ctx, s.Sources[kind], p, func(string) uuid.UUID { return event.NewID() })
			failed = errors.Join(failed, err)
			differ[kind] = !maps.Equal(f.differ, p.refused())
		}
		s.reading.end(readOutcome{now, differ}, failed)
	})
}

// readUpTo reads a log again up to its last position.
func (s *Signer) readUpTo(ctx context.Context, source Source, was *progress, log func(tenant string) uuid.UUID) (found, error) {
	look, err := s.look(ctx, source)
	if err != nil {
		return found{}, err
	}
	if look.Wait != "" {
		return found{}, errors.New(look.Wait)
	}
	look.Head = min(look.Head, was.Idx)
	return readAll(ctx, source, was, look, log)
}
