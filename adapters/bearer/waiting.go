package bearer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/domain/fault"
)

// The bounds of waiting. A seat is for a caller who may wait long. A caller without
// one stands, for as long as the fetch is young. The two have rooms of their own, so
// that callers of slow sets leave room for a herd that comes for a sound one. A call
// that waits takes 40 to 55 KiB, so all of them together take at most 330 MiB.
const (
	patience   = 10 * time.Second // how long one caller waits in all
	young      = time.Second      // what the age of a young fetch stays below
	seatsOfSet = 32               // enough to see at once that a URL was mended
	seatsOfAll = 1 << 10          // 32 sets can fill theirs
	standing   = 5 << 10          // a herd of 5,000 callers, who need one fetch
)

// The refusals that are no judgement of the token.
var (
	errCrowded  = fault.New(fault.Unavailable, "unavailable", "Too many calls are waiting for key sets that are slow to come. Try again shortly.")
	errStopping = fault.New(fault.Unavailable, "unavailable", "The service is stopping. Try again shortly.")

	errImpatient = errors.New("waited 10 s for fetches that failed or did not end")
)

// waiter is a caller who waits for a key set.
type waiter struct {
	url     string
	mark    Mark
	rereads bool          // it wants the set to be fetched, whatever is held
	after   uint64        // only a set counts whose fetch began after this place in the cache's order
	came    uint64        // its own place in that order
	seat    *entry        // where it has a seat; nil if it has none
	stands  time.Duration // how long it may still stand; 0 if it does not
}

// wait waits for a flight, and for further ones as long as their failure does not
// count for this caller. A fetch that began before the caller came may have failed
// before the URL was mended.
func (c *KeyCache) wait(ctx context.Context, w *waiter, shared *flight) (KeySet, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errImpatient)
	defer cancel()
	for {
		select {
		case <-shared.done:
		case <-w.stoodLongEnough():
		case <-ctx.Done():
			return KeySet{}, w.gaveUp(ctx)
		case <-c.ctx.Done():
			return KeySet{}, errStopping
		}
		if shared.landed() && w.accepts(shared) {
			return shared.set, shared.err
		}
		var err error
		if shared, err = c.board(w); err != nil {
			return KeySet{}, err
		}
	}
}

// waits reports whether a caller has a place to wait at.
func (w *waiter) waits() bool { return w.seat != nil || w.stands > 0 }

// accepts reports whether what has come of a fetch counts for a caller.
func (w *waiter) accepts(f *flight) bool {
	if f.err == nil {
		return f.began > w.after
	}
	return f.began > w.came
}

// stoodLongEnough tells a caller who stands to look for a seat or leave.
func (w *waiter) stoodLongEnough() <-chan time.Time {
	if w.stands == 0 {
		return nil
	}
	return time.After(w.stands)
}

func (w *waiter) gaveUp(ctx context.Context) error {
	if cause := context.Cause(ctx); errors.Is(cause, errImpatient) {
		return errUnreachable.with(w.url).because(cause)
	}
	return ctx.Err()
}

// place gives a caller a seat, which it keeps. If there is none, the caller may
// stand for as long as the fetch of a sound URL is young (D46). The caller of place
// holds the mutex.
func (c *KeyCache) place(w *waiter, e *entry, now time.Time) error {
	if w.seat != nil {
		return nil
	}
	c.vacate(w)
	left := min(young, young-now.Sub(e.flight.opened)) // at most young, even if the clock was set back
	switch {
	case e.seated < seatsOfSet && c.seated < seatsOfAll:
		w.seat = e
		e.seated++
		c.seated++
	case !e.failing && left > 0 && c.standing < standing:
		w.stands = left
		c.standing++
	default:
		c.metrics.sentAway()
		return fmt.Errorf("wait for %s: %w", w.url, errCrowded)
	}
	return nil
}

// vacate gives up the place that a caller has. The caller of vacate holds the mutex.
func (c *KeyCache) vacate(w *waiter) {
	if w.seat != nil {
		w.seat.seated--
		c.seated--
	}
	if w.stands > 0 {
		c.standing--
	}
	w.seat, w.stands = nil, 0
}

func (c *KeyCache) leave(w *waiter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.vacate(w)
}
