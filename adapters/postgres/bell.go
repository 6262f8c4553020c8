package postgres

import (
	"context"
	"sync"
	"time"
)

// Bell wakes everybody who waits for it. The zero value is ready to use. Ringing a
// nil Bell does nothing.
type Bell struct {
	mu    sync.Mutex
	waits chan struct{}
}

// Next returns a channel that the next [Bell.Ring] closes. Take it before you look
// for work: work that arrives during the look then ends the wait.
func (b *Bell) Next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waits == nil {
		b.waits = make(chan struct{})
	}
	return b.waits
}

// Ring wakes everybody who holds a channel of [Bell.Next].
func (b *Bell) Ring() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waits != nil {
		close(b.waits)
		b.waits = nil
	}
}

// rung reports whether a bell has rung, and does not wait.
func rung(bell <-chan struct{}) bool {
	select {
	case <-bell:
		return true
	default:
		return false
	}
}

// Pause waits for a bell, at most for a given time; a nil bell never rings.
func Pause(ctx context.Context, atMost time.Duration, bell <-chan struct{}) {
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-bell:
	case <-timer.C:
	}
}
