package postgres

import (
	"context"
	"errors"
	"sync"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
)

// outage is the state of an unavailable database, which the callers of one pool share.
// It hides a short outage from them (D48): a caller that meets a short outage retries until
// it is over. One of them tries at a time, so that a database that is starting is not
// overloaded. A long outage fails all callers at once, so that they do not pile up. A nil
// outage hides nothing.
type outage struct {
	short time.Duration // the longest outage that is hidden

	mu     sync.Mutex
	away   bool            // the database did not answer the last time
	since  clock.Stopwatch // since the first failed call
	last   clock.Stopwatch // since the last failed call
	looked clock.Stopwatch // since a caller has tried again
}

const (
	bridged   = 2 * time.Second
	lookEvery = 25 * time.Millisecond
)

// bridge calls ask until the database answers or the outage is long, and returns the last
// error. It must be safe to call ask again.
func (a *outage) bridge(ctx context.Context, ask func() error) error {
	err := ask()
	if a == nil || !errors.Is(err, ErrUnavailable) || !a.noticed() {
		return err
	}
	// One call comes after that time, and then the others learn of it.
	for asked := clock.Start(); errors.Is(err, ErrUnavailable) && a.turn(ctx, asked); {
		if err = ask(); errors.Is(err, ErrUnavailable) {
			a.noticed()
		}
	}
	return err
}

// noticed notes a failed call, and reports whether the outage is still short. After a while
// without a failed call, it is another outage.
func (a *outage) noticed() (short bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.away || a.last.Elapsed() > a.short {
		a.away, a.since, a.looked = true, clock.Start(), clock.Stopwatch{}
	}
	a.last = clock.Start()
	return a.since.Elapsed() < a.short
}

// over notes that the database has answered.
func (a *outage) over() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.away = false
}

// turn waits until this caller may try again, and reports false if it should give up.
func (a *outage) turn(ctx context.Context, asked clock.Stopwatch) bool {
	for limit := a.short + 2*lookEvery; ctx.Err() == nil && asked.Elapsed() < limit; {
		if a.taken() {
			return true
		}
		background.Sleep(ctx, lookEvery)
	}
	return false
}

// taken reports whether this caller may try now: it is the next one, or the outage is over.
func (a *outage) taken() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.away && a.looked.Elapsed() < lookEvery {
		return false
	}
	a.looked = clock.Start()
	return true
}
