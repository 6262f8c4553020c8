package notary

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"math/big"
	"sync"
	"time"

	"frontdesk/domain/proof"
)

// reading is the rereading of all leaves, concurrent with the rounds. It only finds where to
// look: a round then reads again, with the epoch known. It begins at random moments, so that
// no one can change a leaf and restore it between two of them.
type reading struct {
	running sync.WaitGroup

	mu      sync.Mutex
	busy    bool
	wait    time.Duration // from the last one; 0 if it is not chosen yet
	after   time.Time     // not before then
	outcome *readOutcome  // not yet processed by a round
}

// unpredictable returns a random duration below n.
func unpredictable(n time.Duration) time.Duration {
	drawn, err := rand.Int(rand.Reader, big.NewInt(int64(n)))
	if err != nil {
		return 0 // crypto/rand ends the program before it returns an error
	}
	return time.Duration(drawn.Int64())
}

// readOutcome is the result of a complete reading.
type readOutcome struct {
	began  time.Time
	differ map[proof.Kind]bool // logs with new differences
}

// begin reports whether the reading is due, and starts it. The mean wait is every.
func (r *reading) begin(now, verified time.Time, every time.Duration, random func(time.Duration) time.Duration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.wait == 0 {
		r.wait = 1 + random(2*every)
	}
	since := now.Sub(verified) // below 0 after a clock was set back, which must not delay the reading
	if r.busy || since >= 0 && since < r.wait || now.Before(r.after) {
		return false
	}
	r.busy, r.wait = true, 0
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

// reread starts reading all leaves if it is due.
func (s *Signer) reread(ctx context.Context) {
	now := s.Now()
	if !s.reading.begin(now, s.m.Verified, cmp.Or(s.RereadEvery, rereadEvery), s.Random) {
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
			f, err := s.readUpTo(ctx, s.Sources[kind], p)
			failed = errors.Join(failed, err)
			differ[kind] = !maps.Equal(f.differ, p.refused())
		}
		s.reading.end(readOutcome{now, differ}, failed)
	})
}

// readUpTo reads a log again up to its last position.
func (s *Signer) readUpTo(ctx context.Context, source Source, was *progress) (found, error) {
	look, err := s.readState(ctx, source)
	if err != nil {
		return found{}, err
	}
	if look.Wait != "" {
		return found{}, errors.New(look.Wait)
	}
	look.Head = min(look.Head, was.Idx)
	return readAll(ctx, source, was, look, s.Now())
}
