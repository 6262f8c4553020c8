package live

import (
	"context"
	"errors"
	"slices"

	"frontdesk/adapters/admission"
	"frontdesk/adapters/background"
)

// Subscription is the subscription of a browser.
type Subscription struct {
	Tenant string
	Holder string // the session; the oldest of its streams ends if it has too many
	Topics []Topic
	Since  int64 // the last idx that the browser has; 0 for none
}

// Stream is the stream of one browser. One goroutine uses it, and leaves.
type Stream struct {
	Subscription
	hub      *Hub
	permit   *admission.Permit
	number   int           // a sequence number of the hub
	history  int           // of the hub
	sent     int64         // all messages up to here were sent
	replaced chan struct{} // closed when the owner has started too many others
}

// ErrFull refuses a stream because there are too many.
var ErrFull = errors.New("there are too many streams")

// Join begins a stream. It returns [ErrFull] or [ErrStopping].
func (h *Hub) Join(ctx context.Context, sub Subscription) (*Stream, error) {
	s := &Stream{Subscription: sub, hub: h, permit: h.permits.Permit(sub.Tenant), replaced: make(chan struct{})}
	if err := h.admit(s); err != nil {
		return nil, err
	}
	if err := h.refreshed(ctx); err != nil {
		s.Leave()
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	s.history, s.sent = h.history, sub.Since
	switch {
	case sub.Since == 0:
		s.sent = h.upto
	case sub.Since < h.base, sub.Since > h.upto:
		s.history = 0 // none, so the stream starts with a reset
	}
	return s, nil
}

// admit gives the stream a permit. If its owner has too many, the oldest ends.
func (h *Hub) admit(s *Stream) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if background.Notified(h.closed) {
		return ErrStopping
	}
	if !s.permit.Take() {
		return ErrFull
	}
	held := h.holders[s.Holder]
	if len(held) == sessionStreams {
		close(held[0].replaced)
		held = held[1:]
	}
	h.holders[s.Holder] = append(slices.Clone(held), s)
	h.streams++
	h.joined++
	s.number = h.joined
	h.metrics.open(h.streams)
	return nil
}

// Leave ends the stream.
func (s *Stream) Leave() {
	h := s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	s.permit.Release()
	h.streams--
	h.metrics.open(h.streams)
	held := slices.DeleteFunc(slices.Clone(h.holders[s.Holder]), func(other *Stream) bool { return other == s })
	if h.holders[s.Holder] = held; len(held) == 0 {
		delete(h.holders, s.Holder)
	}
}

// update is the new messages of a stream.
type update struct {
	messages []Message
	reset    bool  // messages may have been missed: the page must reload
	upto     int64 // all messages up to here were sent
	more     <-chan struct{}
}

// next returns the messages since the last call.
func (s *Stream) next() (n update) {
	h := s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.feed(s.Tenant)
	if s.history != h.history || s.sent < f.dropped {
		n.reset = true
	} else {
		n.messages = f.after(s.sent, s.Topics)
	}
	s.history, s.sent = h.history, h.upto
	n.upto, n.more = h.upto, f.more.Next()
	return n
}
