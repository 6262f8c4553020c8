package postgres

import "sync"

// Bell wakes everybody who waits for it, and nobody who does not. The zero
// value is ready; a nil Bell rings for nobody.
type Bell struct {
	mu    sync.Mutex
	waits chan struct{}
}

// Next is closed at the next [Bell.Ring]. Take it before looking for work, so
// that work that arrives while looking is not slept through.
func (b *Bell) Next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waits == nil {
		b.waits = make(chan struct{})
	}
	return b.waits
}

// Ring wakes everybody who holds [Bell.Next].
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
