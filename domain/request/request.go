package request

import (
	"slices"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// ErrExists is the refusal to submit a request twice.
var ErrExists = fault.New(fault.Conflict, "request-exists", "The request was submitted already.")

// StreamOf is the stream of a request.
func StreamOf(tenant string, id ID) event.Stream { return event.Stream{Tenant: tenant, ID: id.UUID} }

// Types lists the request types, in the order of the contract (§2.1).
func Types() []Type { return []Type{Medical, Admin} }

// Known refuses with [ErrInvalidType] what is no request type.
func (t Type) Known() error {
	if !slices.Contains(Types(), t) {
		return ErrInvalidType
	}
	return nil
}

// Requesters lists who may ask (§2.1).
func Requesters() []Requester { return []Requester{ByPatient, ByProxy} }

// Request is what the rules ask about a request.
type Request struct{ submitted bool }

// Submit is rule 2. That the patient exists was found out before.
func (r Request) Submit(s Submission) ([]event.Event, error) {
	if r.submitted {
		return nil, ErrExists
	}
	return []event.Event{Submitted(s)}, nil
}

// Apply notes that the request was submitted.
func (r Request) Apply(e event.Event) Request {
	if _, ok := e.(Submitted); ok {
		r.submitted = true
	}
	return r
}
