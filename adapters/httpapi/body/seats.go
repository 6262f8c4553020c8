package body

import (
	"frontdesk/adapters/fair"
	"frontdesk/domain/fault"
)

// The refusals of a call that found no seat: there is none for anybody, or the
// caller has its share of them.
var (
	ErrBusy  = fault.New(fault.Unavailable, "unavailable", "The service has too many calls to answer. Try again shortly.")
	ErrShare = ErrBusy.Worded("Too many of your calls are in flight. Wait for their answers before you make more.")
)

// Take takes a seat, unless it is taken already. It does not wait: if there is
// none for its holder, it returns [ErrBusy] or [ErrShare].
func Take(seat *fair.Seat) error {
	switch {
	case seat.Take():
		return nil
	case seat.NoneFree():
		return ErrBusy
	}
	return ErrShare
}
