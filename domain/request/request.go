package request

import (
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// ErrExists is the refusal to submit a request twice.
var ErrExists = fault.New(fault.Conflict, "request-exists", "The request was submitted already.")

// StreamOf is the stream of a request.
func StreamOf(tenant string, id ID) event.Stream { return event.Stream{Tenant: tenant, ID: id.UUID} }

// Request is what the rules ask about a request.
type Request struct{ submitted bool }

// Submit is rule 2. That the patient exists was found out before.
func (r Request) Submit(s Submission) ([]event.Event, error) {
	if r.submitted {
		return nil, ErrExists
	}
	return []event.Event{Submitted(s)}, nil
}

// Apply implements [event.State].
func (r Request) Apply(e event.Event) Request {
	if _, ok := e.(Submitted); ok {
		r.submitted = true
	}
	return r
}
