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

// reading is the daily reading of all leaves, beside the rounds. It only says where to
// look: a round then reads again, knowing which epoch it is.
type reading struct {
	running sync.WaitGroup

	mu       sync.Mutex
	busy     bool
	after    time.Time // it is not begun again before
	verified time.Time // when a reading began that has come to its end; zero if a round has noted it
	suspect  map[proof.Kind]bool
}

// begin reports whether the reading is due, and takes it.
func (r *reading) begin(now, verified time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy || now.Sub(verified) < everyDay || now.Before(r.after) {
		return false
	}
	r.busy = true
	return true
}

func (r *reading) end(began time.Time, differ map[proof.Kind]bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy = false
	if err != nil {
		r.after = began.Add(tryAgainAll)
		return
	}
	r.verified, r.suspect = began, differ
}

func (r *reading) suspects(kind proof.Kind) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.suspect[kind]
}

func (r *reading) suspectAll(logs map[proof.Kind]*progress) {
	r.suspect = map[proof.Kind]bool{}
	for kind, p := range logs {
		r.suspect[kind] = p.Idx > 0
	}
}

func (r *reading) judged(kind proof.Kind) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.suspect, kind)
}

// finished returns when the last reading began that nobody has asked about, and zero if
// there is none.
func (r *reading) finished() (began time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	began, r.verified = r.verified, time.Time{}
	return began
}

// noteReading remembers that all leaves were read, so that a restart does not put that off.
func (s *Signer) noteReading() {
	if began := s.reading.finished(); !began.IsZero() {
		s.m.Verified, s.unsaved = began, true
	}
}

// readAllDaily begins to read all leaves when a day has passed.
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
			f, err := readAll(ctx, s.Sources[kind], p, p.Idx, func(string) uuid.UUID { return event.NewID() })
			failed = errors.Join(failed, err)
			differ[kind] = !maps.Equal(f.differ, p.refused())
		}
		s.reading.end(now, differ, failed)
	})
}
