package practitioner

import (
	"github.com/google/uuid"

	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// ID identifies a practitioner of one practice's calls. It is derived from their
// identity and a key of the practice, so it cannot be guessed.
type ID struct{ uuid.UUID }

// ErasureRequested records a request for the practitioner's erasure.
type ErasureRequested struct {
	Practitioner ID `json:"practitioner"`
	erasure.Request
}

// ErasureWithdrawn records that the request was withdrawn.
type ErasureWithdrawn struct {
	Practitioner ID `json:"practitioner"`
	erasure.Withdrawal
}

// Erased records that the practitioner was erased. Calls can no longer name them.
type Erased struct {
	Practitioner ID `json:"practitioner"`
	erasure.Done
}

// EventName returns the name that the event is stored under.
func (ErasureRequested) EventName() string { return "practitioner.erasure-requested.v1" }

// EventName returns the name that the event is stored under.
func (ErasureWithdrawn) EventName() string { return "practitioner.erasure-withdrawn.v1" }

// EventName returns the name that the event is stored under.
func (Erased) EventName() string { return "practitioner.erased.v1" }

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event { return Practitioner{}.Events() }

// Events returns the events of a practitioner's stream.
func (Practitioner) Events() []event.Event {
	return []event.Event{ErasureRequested{}, ErasureWithdrawn{}, Erased{}}
}

// ErrErased refuses a call in the name of a practitioner who was erased. It reveals
// nothing about the patient, who may well exist.
var ErrErased = fault.New(fault.Forbidden, "unauthorized", "The practitioner whom the act claim names can act here no more")

// ErrUnknown refuses a practitioner that no call has named.
var ErrUnknown = fault.New(fault.Missing, "unknown-practitioner", "No call to the practice has named this practitioner.")

// StreamOf returns the stream of a practitioner.
func StreamOf(tenant string, id ID) event.Stream {
	return event.Stream{Tenant: tenant, ID: event.DerivedID("practitioner", tenant, id.String())}
}

// Practitioner is the state of a practitioner that later decisions need.
type Practitioner struct{ erasure erasure.State }

// RequestedErasure returns the request that waits for a second person, or a zero one.
func (p Practitioner) RequestedErasure() erasure.Request { return p.erasure.Request() }

// RequestErasure requests the practitioner's erasure (rule 1). The caller has made sure
// that a call has named them.
func (p Practitioner) RequestErasure(id ID, r erasure.Request) ([]event.Event, error) {
	if p.erasure.Erased() {
		return nil, ErrUnknown
	}
	if err := p.erasure.MayRequest(r); err != nil {
		return nil, err
	}
	return []event.Event{ErasureRequested{id, r}}, nil
}

// WithdrawErasure ends a request (rule 1).
func (p Practitioner) WithdrawErasure(id uuid.UUID, w erasure.Withdrawal) ([]event.Event, error) {
	if p.erasure.Erased() {
		return nil, ErrUnknown
	}
	if err := p.erasure.MayWithdraw(w); err != nil {
		return nil, err
	}
	return []event.Event{ErasureWithdrawn{ID{id}, w}}, nil
}

// ConfirmErasure erases the practitioner, the holder of this key (rule 1). It changes
// nothing if this erasure is done.
func (p Practitioner) ConfirmErasure(id uuid.UUID, c erasure.Confirmation, keys []erasure.Key) ([]event.Event, error) {
	if p.erasure.ErasedBy(c.Erasure) {
		return nil, nil
	}
	if p.erasure.Erased() {
		return nil, ErrUnknown
	}
	done, err := p.erasure.Confirm(c, keys)
	if err != nil {
		return nil, err
	}
	return []event.Event{Erased{ID{id}, done}}, nil
}

// EraseAgain erases a practitioner that a restored backup has brought back. It changes
// nothing if they are erased.
func (p Practitioner) EraseAgain(id uuid.UUID, done erasure.Done) []event.Event {
	if p.erasure.Erased() {
		return nil
	}
	return []event.Event{Erased{ID{id}, done}}
}

// Apply returns the practitioner after the event.
func (p Practitioner) Apply(e event.Event) Practitioner {
	switch e := e.(type) {
	case ErasureRequested:
		p.erasure = p.erasure.Requested(e.Request)
	case ErasureWithdrawn:
		p.erasure = p.erasure.Withdrawn()
	case Erased:
		p.erasure = p.erasure.Completed(e.Done)
	}
	return p
}
