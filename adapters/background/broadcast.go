package background

import "sync"

// Broadcast wakes all waiters. The zero value is ready to use. A nil Broadcast wakes
// none.
type Broadcast struct {
	mu   sync.Mutex
	next chan struct{} // nil without waiters
}

// Next returns a channel that the next [Broadcast.Notify] closes. Take it before
// you look for work: work that arrives during the look then ends the wait.
func (b *Broadcast) Next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

// Notify closes the channel that [Broadcast.Next] has returned since the last
// call.
func (b *Broadcast) Notify() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}

// Notified reports whether a channel of [Broadcast.Next] is closed.
func Notified(next <-chan struct{}) bool {
	select {
	case <-next:
		return true
	default:
		return false
	}
}
