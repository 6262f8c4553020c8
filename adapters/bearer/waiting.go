package bearer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/domain/fault"
)

// The bounds of waiting. A seat is for somebody who may wait long. Without one, a
// caller only stands, for as long as a fetch is young. The two have rooms of their
// own, so that those who wait for slow sets leave room for a herd that comes for a
// sound one.
const (
	patience   = 10 * time.Second // how long one caller waits in all
	young      = time.Second      // the age at which a fetch is called slow
	seatsOfSet = 32               // as many as a sound server may keep waiting; more gain nothing by it
	seatsOfAll = 2 << 10          // 64 sets can fill theirs
	standing   = 6 << 10          // a herd of 5,000, which costs one fetch, and some more
)

// The refusals that are no judgement of the token.
var (
	errCrowded  = fault.New(fault.Unavailable, "unavailable", "Too many calls are waiting for key sets that are slow to come. Try again shortly.")
	errStopping = fault.New(fault.Unavailable, "unavailable", "The service is stopping. Try again shortly.")

	errImpatient = errors.New("waited 10 s for fetches that failed or did not end")
)

// waiter is a caller who waits for a key set.
type waiter struct {
	url    string
	came   uint64        // its place in the cache's order
	seat   *entry        // where it has a seat; nil if it has none
	stands time.Duration // how long it may still stand; 0 if it does not
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
		if shared.landed() && (shared.err == nil || w.came < shared.began) {
			return shared.set, shared.err
		}
		var err error
		if shared, err = c.board(w); err != nil {
			return KeySet{}, err
		}
	}
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
// stand for as long as the fetch of a sound URL is young. The caller of place holds
// the mutex.
func (c *KeyCache) place(w *waiter, e *entry, now time.Time) error {
	if w.seat != nil {
		return nil
	}
	c.vacate(w)
	left := min(young, young-now.Sub(e.flight.opened))
	switch {
	case e.seated < seatsOfSet && c.seated < seatsOfAll:
		w.seat = e
		e.seated++
		c.seated++
	case !e.failing && left > 0 && c.standing < standing:
		w.stands = left
		c.standing++
	default:
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
