package auditing

import (
	"context"
	"iter"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/domain/access"
	"frontdesk/domain/event"
)

// The kinds of [Access].
const (
	ByEvent = "event"
	ByCall  = "call"
	ByPage  = "page"
)

// Access is an event about a patient, a call that named them, or a page that has shown them
// to a member of staff.
type Access struct {
	Kind         string    `json:"kind"`
	At           time.Time `json:"at"`
	Who          string    `json:"who"`                    // as the log names actors
	Application  string    `json:"application,omitempty"`  // through which
	Organisation string    `json:"organisation,omitempty"` // on behalf of which
	Practitioner string    `json:"practitioner,omitempty"` // and the practitioner; personal
	Role         string    `json:"role,omitempty"`         // in which they act
	Purpose      string    `json:"purpose,omitempty"`
	What         string    `json:"what"`                // the event's name, the endpoint or the page's topic
	Idx          int64     `json:"idx,omitempty"`       // in the log, or among all calls
	RequestID    string    `json:"requestId,omitempty"` // the same for an event and the call that caused it
	Status       int       `json:"status,omitempty"`
	Reason       string    `json:"reason,omitempty"`

	By event.Actor `json:"-"` // of an event, with personal data, even if it was not requested
}

// Accesses yields the events about a patient that pass the filter up to an idx, oldest first.
// Then it yields the calls that have named the patient and the pages that have shown them up
// to now, newest first. Each iteration is the same. The names of practitioners are hidden
// unless personal data is requested.
func (a Auditor) Accesses(ctx context.Context, f EventFilter, end int64, personal bool) iter.Seq2[Access, error] {
	calls := accesslog.CallFilter{Tenant: f.Tenant, Patient: f.Patient, Before: event.NewID()}
	return func(yield func(Access, error) bool) {
		for e, err := range a.Events(ctx, f, end) {
			if err != nil || !yield(accessOf(e, personal), nil) {
				yieldError(yield, err)
				return
			}
		}
		for call, err := range a.recordOf(personal).Calls(ctx, calls) {
			if err != nil || !yield(accessOfCall(call), nil) {
				yieldError(yield, err)
				return
			}
		}
	}
}

func yieldError(yield func(Access, error) bool, err error) {
	if err != nil {
		yield(Access{}, err)
	}
}

func accessOf(e event.Recorded, personal bool) Access {
	actor := e.Metadata.Actor
	a := Access{Kind: ByEvent, At: e.At, Who: actor.String(), What: e.EventName(), Idx: e.Idx, RequestID: e.Metadata.RequestID, By: actor}
	if actor.Application != uuid.Nil {
		a.Application = actor.Application.String()
	}
	if act := actor.OnBehalfOf; act != nil {
		a.Organisation, a.Practitioner, a.Role, a.Purpose = act.Organisation.Name, event.Hidden, act.Role, act.Purpose
		if personal {
			a.Practitioner = act.Practitioner.Name
		}
	}
	return a
}

func accessOfCall(c access.Call) Access {
	who := c.Actor()
	a := Access{
		Kind: ByCall, At: c.At, Who: who.String(), What: string(c.Endpoint),
		Idx: c.Idx, RequestID: c.RequestID.String(), Status: c.Status, Reason: c.Reason, By: who,
	}
	if c.Looked() {
		a.Kind = ByPage
		return a
	}
	a.Application = c.Application.String()
	return a
}
