package bearer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/domain/fault"
)

// The limits of waiting. A caller with a permit may wait long. A caller without one may
// wait briefly, while the fetch is young. The two have separate limits, so that callers
// of slow sets leave room for a burst of callers of a healthy one. A waiting call takes
// 40 to 55 KiB, so all of them together take at most 330 MiB.
const (
	patience         = 10 * time.Second // how long one caller waits in total
	young            = time.Second      // the maximum age of a young fetch
	permitsOfSet     = 32               // enough to notice at once that a URL is fixed
	permitsOfAll     = 1 << 10          // 32 sets can use all of theirs
	mostBriefWaiters = 5 << 10          // a burst of 5,000 callers that need one fetch
)

// The refusals that are not about the token.
var (
	errCrowded  = fault.New(fault.Unavailable, "unavailable", "Too many calls are waiting for key sets that are slow to come. Try again shortly.")
	errStopping = fault.New(fault.Unavailable, "unavailable", "The service is stopping. Try again shortly.")

	errImpatient = errors.New("waited 10 s for fetches that failed or did not end")
)

// waiter is a caller that waits for a key set.
type waiter struct {
	url       string
	mark      RereadMark
	rereads   bool          // it wants a fetch, whatever the current set
	after     uint64        // it needs a set whose fetch began after this number in the cache's order
	came      uint64        // its own number in that order
	permitOf  *entry        // the set that it holds a permit of; nil without one
	briefLeft time.Duration // the rest of its brief wait; 0 if absent
}

// wait waits for a fetch, and for further ones while their failures do not count for
// this caller. A fetch that began before the call may have failed before the URL was
// fixed.
func (c *KeyCache) wait(ctx context.Context, w *waiter, shared *sharedFetch) (KeySet, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errImpatient)
	defer cancel()
	for {
		select {
		case <-shared.done:
		case <-w.briefWaitOver():
		case <-ctx.Done():
			return KeySet{}, w.gaveUp(ctx)
		case <-c.ctx.Done():
			return KeySet{}, errStopping
		}
		if shared.completed() && w.accepts(shared) {
			return shared.set, shared.err
		}
		var err error
		if shared, err = c.join(w); err != nil {
			return KeySet{}, err
		}
	}
}

// waits reports whether a caller has a place to wait.
func (w *waiter) waits() bool { return w.permitOf != nil || w.briefLeft > 0 }

// accepts reports whether the result of a fetch counts for a caller.
func (w *waiter) accepts(f *sharedFetch) bool {
	if f.err == nil {
		return f.began > w.after
	}
	return f.began > w.came
}

// briefWaitOver fires when a brief wait is over, and the caller must get a permit or
// leave.
func (w *waiter) briefWaitOver() <-chan time.Time {
	if w.briefLeft == 0 {
		return nil
	}
	return time.After(w.briefLeft)
}

func (w *waiter) gaveUp(ctx context.Context) error {
	if cause := context.Cause(ctx); errors.Is(cause, errImpatient) {
		return errUnreachable.filled(w.url).because(cause)
	}
	return ctx.Err()
}

// admit gives a caller a permit, which it keeps. If there is none, the caller may wait
// briefly while the fetch of a healthy URL is young (D46). The caller of admit holds
// the mutex.
func (c *KeyCache) admit(w *waiter, e *entry, now time.Time) error {
	if w.permitOf != nil {
		return nil
	}
	c.vacate(w)
	left := min(young, young-now.Sub(e.sharedFetch.opened)) // at most young, even if the clock was set back
	switch {
	case e.permits < permitsOfSet && c.permits < permitsOfAll:
		w.permitOf = e
		e.permits++
		c.permits++
	case !e.failing && left > 0 && c.briefWaiters < mostBriefWaiters:
		w.briefLeft = left
		c.briefWaiters++
	default:
		c.metrics.sentAway()
		return fmt.Errorf("wait for %s: %w", w.url, errCrowded)
	}
	return nil
}

// vacate releases a caller's place. The caller of vacate holds the mutex.
func (c *KeyCache) vacate(w *waiter) {
	if w.permitOf != nil {
		w.permitOf.permits--
		c.permits--
	}
	if w.briefLeft > 0 {
		c.briefWaiters--
	}
	w.permitOf, w.briefLeft = nil, 0
}

func (c *KeyCache) leave(w *waiter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.vacate(w)
}
