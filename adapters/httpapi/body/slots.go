package body

import "frontdesk/domain/fault"

// ErrBusy is the refusal of a call that found no free slot.
var ErrBusy = fault.New(fault.Unavailable, "unavailable", "The service has too many calls to answer. Try again shortly.")

// Slots bounds how many calls do something at once. It is safe for concurrent
// use.
type Slots chan struct{}

// NewSlots makes n slots.
func NewSlots(n int) Slots { return make(Slots, n) }

// Slot is one of them for a call, which has not taken it yet.
func (s Slots) Slot() *Slot { return &Slot{slots: s} }

// Slot is one slot of many, taken when it is first needed. A nil Slot is always
// free.
type Slot struct {
	slots Slots
	taken bool
}

// Take takes the slot, once however often it is called. It does not wait: where
// all slots are taken, it returns [ErrBusy].
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
