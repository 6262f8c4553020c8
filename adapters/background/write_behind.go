package background

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// WriteBehind is a queue of values that are written behind the answer. Put never
// waits; the goroutine in Run writes values, and removes them.
type WriteBehind[T any] struct {
	Limit int           // maximum number of waiting values
	Pace  time.Duration // between two rounds, so that values gather
	Retry time.Duration // until the next round without a new value, or after one that failed
	Final time.Duration // for the last round
	Fails string        // the warning about a round that failed
	Log   *slog.Logger

	arrived Broadcast
	mu      sync.Mutex // guards the fields below
	waiting []T
	ended   bool
}

// Put adds a value. It reports false if too many are waiting or if Run has ended: the
// value is lost.
func (q *WriteBehind[T]) Put(v T) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended || len(q.waiting) >= q.Limit {
		return false
	}
	q.waiting = append(q.waiting, v)
	q.arrived.Notify()
	return true
}

// Run does a round at once and whenever values have arrived, until ctx ends.
// Then it refuses values, and does a last round. It returns the error of that
// one. Stop the callers of Put before you end ctx.
func (q *WriteBehind[T]) Run(ctx context.Context, round func(ctx context.Context, last bool) error) error {
	Loop{
		Every: q.Retry, Pace: q.Pace, Wake: q.arrived.Next, Fails: q.Fails, Log: q.Log,
		Do: func(ctx context.Context) error { return round(ctx, false) },
	}.Run(ctx)
	q.mu.Lock()
	q.ended = true
	q.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), q.Final)
	defer cancel()
	return round(ctx, true)
}

// First returns the oldest values. A round reads them without a lock, because only
// rounds remove values.
func (q *WriteBehind[T]) First(most int) []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting[:min(most, len(q.waiting))]
}

// Remove removes the first n values. It moves none, so a round may continue to read the
// result of [WriteBehind.First].
func (q *WriteBehind[T]) Remove(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting = q.waiting[n:]; len(q.waiting) == 0 {
		q.waiting = nil // frees the array
	}
}
