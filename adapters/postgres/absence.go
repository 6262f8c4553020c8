package postgres

import (
	"context"
	"errors"
	"sync"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
)

// absence is what the callers of one pool know together about a database that is away.
// It keeps a short absence from them (D48): whoever finds the database away while the
// absence is still short asks again for as long as one is. One of them looks at a time, so
// that a database that is starting is not hammered. Once the absence is no longer
// short, everybody is told at once, so that callers do not pile up. A nil absence
// bridges nothing.
type absence struct {
	short time.Duration // how long an absence is bridged

	mu     sync.Mutex
	away   bool            // the database did not answer the last time
	since  clock.Stopwatch // since it was first found away
	last   clock.Stopwatch // since it was last found away
	looked clock.Stopwatch // since a caller has looked whether it is back
}

const (
	bridged   = 2 * time.Second
	lookEvery = 25 * time.Millisecond
)

// bridge asks until the database answers, as long as that is worth it, and returns
// the last error. What it asks must be safe to ask again.
func (a *absence) bridge(ctx context.Context, ask func() error) error {
	err := ask()
	if a == nil || !errors.Is(err, ErrUnavailable) || !a.noticed() {
		return err
	}
	// One look comes after that time, and then the others hear of it.
	for asked := clock.Start(); errors.Is(err, ErrUnavailable) && a.turn(ctx, asked); {
		if err = ask(); errors.Is(err, ErrUnavailable) {
			a.noticed()
		}
	}
	return err
}

// noticed notes that the database was found away, and reports whether its absence is
// still short. An absence that nobody has noticed for a while is a new one.
func (a *absence) noticed() (short bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.away || a.last.Elapsed() > a.short {
		a.away, a.since, a.looked = true, clock.Start(), clock.Stopwatch{}
	}
	a.last = clock.Start()
	return a.since.Elapsed() < a.short
}

// over notes that the database has answered.
func (a *absence) over() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.away = false
}

// turn waits until this caller may look, and reports false if it should give up.
func (a *absence) turn(ctx context.Context, asked clock.Stopwatch) bool {
	for limit := a.short + 2*lookEvery; ctx.Err() == nil && asked.Elapsed() < limit; {
		if a.taken() {
			return true
		}
		background.Sleep(ctx, lookEvery)
	}
	return false
}

// taken reports whether this caller may look now: it is the next one, or somebody has
// found the database back.
func (a *absence) taken() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.away && a.looked.Elapsed() < lookEvery {
		return false
	}
	a.looked = clock.Start()
	return true
}
