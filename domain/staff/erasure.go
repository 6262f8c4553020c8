package staff

import (
	"github.com/google/uuid"

	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// ErasureRequested records a request for the erasure of the member of staff.
type ErasureRequested struct{ erasure.Request }

// ErasureWithdrawn records that the request was withdrawn.
type ErasureWithdrawn struct{ erasure.Withdrawal }

// Erased records that the member of staff was erased. Their actions stay recorded under
// their identifier.
type Erased struct{ erasure.Done }

// EventName returns the name that the event is stored under.
func (ErasureRequested) EventName() string { return "staff.erasure-requested.v1" }

// EventName returns the name that the event is stored under.
func (ErasureWithdrawn) EventName() string { return "staff.erasure-withdrawn.v1" }

// EventName returns the name that the event is stored under.
func (Erased) EventName() string { return "staff.erased.v1" }

// ErrStillActive refuses to erase staff who work at the practice.
var ErrStillActive = fault.New(fault.Conflict, "staff-active", "Deactivate the member of staff first.")

// checkLeft returns an error unless the member of staff has left and is not erased.
func (m Member) checkLeft() error {
	switch {
	case !m.registered || m.erasure.Erased():
		return ErrUnknown
	case !m.deactivated:
		return ErrStillActive
	}
	return nil
}

// RequestedErasure returns the request that waits for a second person, or a zero one.
func (m Member) RequestedErasure() erasure.Request { return m.erasure.Request() }

// RequestErasure requests the erasure of a member of staff who has left (rule 9).
func (m Member) RequestErasure(r erasure.Request) ([]event.Event, error) {
	if err := m.checkLeft(); err != nil {
		return nil, err
	}
	if err := m.erasure.MayRequest(r); err != nil {
		return nil, err
	}
	return []event.Event{ErasureRequested{r}}, nil
}

// WithdrawErasure ends a request (rule 9).
func (m Member) WithdrawErasure(_ uuid.UUID, w erasure.Withdrawal) ([]event.Event, error) {
	if m.erasure.Erased() {
		return nil, ErrUnknown
	}
	if err := m.erasure.MayWithdraw(w); err != nil {
		return nil, err
	}
	return []event.Event{ErasureWithdrawn{w}}, nil
}

// ConfirmErasure erases the member of staff, the holder of these keys (rule 9). It changes
// nothing if this erasure is done.
func (m Member) ConfirmErasure(_ uuid.UUID, c erasure.Confirmation, keys []erasure.Key) ([]event.Event, error) {
	if m.erasure.ErasedBy(c.Erasure) {
		return nil, nil
	}
	if err := m.checkLeft(); err != nil {
		return nil, err
	}
	done, err := m.erasure.Confirm(c, keys)
	if err != nil {
		return nil, err
	}
	return []event.Event{Erased{done}}, nil
}

// EraseAgain erases a member of staff that a restored backup has brought back, even an
// unknown one. It changes nothing if they are erased.
func (m Member) EraseAgain(_ uuid.UUID, done erasure.Done) []event.Event {
	if m.erasure.Erased() {
		return nil
	}
	return []event.Event{Erased{done}}
}
