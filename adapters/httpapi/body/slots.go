package body

import "frontdesk/domain/fault"

// ErrBusy refuses a call that found no free slot.
var ErrBusy = fault.New(fault.Unavailable, "unavailable", "The service has too many calls to answer. Try again shortly.")

// Slots bounds how many calls do something at once. It is safe for concurrent
// use.
type Slots chan struct{}

// NewSlots makes n slots.
func NewSlots(n int) Slots { return make(Slots, n) }

// Slot returns a slot for one call. It is not taken yet.
func (s Slots) Slot() *Slot { return &Slot{slots: s} }

// Slot is one of many slots. It is taken once it is needed. A nil Slot can always
// be taken.
type Slot struct {
	slots Slots
	taken bool
}

// Take takes the slot, unless it has already been taken. It does not wait: if no
// slot is free, it returns [ErrBusy].
func (s *Slot) Take() error {
	if s == nil || s.taken {
		return nil
	}
	select {
	case s.slots <- struct{}{}:
		s.taken = true
		return nil
	default:
		return ErrBusy
	}
}

// Release frees the slot, if it was taken.
func (s *Slot) Release() {
	if s == nil || !s.taken {
		return
	}
	<-s.slots
	s.taken = false
}
