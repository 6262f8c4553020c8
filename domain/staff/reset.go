package staff

import (
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// The times of a reset that takes two people or a day.
const (
	ResetWait  = 24 * time.Hour     // after it, one person is enough
	ResetLapse = 7 * 24 * time.Hour // after it, the request has ended
)

// The refusals of a reset of a member who has a passkey (rule 10).
var (
	ErrResetNotRequested = fault.New(fault.Conflict, "reset-not-requested",
		"Request the reset first, because this member of staff has a passkey. A second manager or 24 hours must follow.")
	ErrResetRequested = fault.New(fault.Conflict, "reset-requested", "This reset has been requested already.")
	ErrResetAtOnce    = fault.New(fault.Conflict, "reset-at-once", "This member of staff has no passkey. Reset their sign-in without a request.")
	ErrResetWaits     = fault.New(fault.Conflict, "reset-waits",
		"Have another manager do this, or wait until 24 hours after the request.")
	ErrResetDependent = fault.New(fault.Refused, "reset-needs-independence",
		"Wait until 24 hours after the request: you and the person who made it are not independent. "+
			"One of you opened the other’s account, or an account is new, or was reset or given its role within the last 24 hours.")
	ErrNoResetRequest = fault.New(fault.Missing, "unknown-reset-request", "This request has been withdrawn, or the reset has been done.")
)

// ResetID identifies one request for a reset.
type ResetID struct{ uuid.UUID }

// ResetRequest asks for a reset of a member of staff who has a passkey.
type ResetRequest struct {
	Reset       ResetID     `json:"reset"`
	RequestedBy event.Actor `json:"requestedBy"`
	RequestedAt time.Time   `json:"requestedAt"`
}

// ResetRequested records a request for a reset. It changes nothing yet.
type ResetRequested struct{ ResetRequest }

// ResetWithdrawn records that the request has ended: the owner of the account, a manager or
// an operator stopped it.
type ResetWithdrawn struct {
	Reset ResetID `json:"reset"`
}

// EventName returns the name that the event is stored under.
func (ResetRequested) EventName() string { return "staff.reset-requested.v1" }

// EventName returns the name that the event is stored under.
func (ResetWithdrawn) EventName() string { return "staff.reset-withdrawn.v1" }

// Second is the person who does what a request asks for.
type Second struct {
	By      event.Actor
	At      time.Time
	Request ResetID // the request by which Depends was judged
	Depends error   // why they are not independent of the first person; nil if they are
}

// ResetRequest returns the request that waits at an instant, or a zero one.
func (m Member) ResetRequest(at time.Time) ResetRequest {
	if !at.Before(m.reset.RequestedAt.Add(ResetLapse)) {
		return ResetRequest{}
	}
	return m.reset
}

// RequestReset requests the reset of a member of staff who has a passkey, also of one who
// has left (rule 10).
func (m Member) RequestReset(r ResetRequest) ([]event.Event, error) {
	switch {
	case !m.registered || m.erasure.Erased():
		return nil, ErrUnknown
	case len(m.passkeys) == 0:
		return nil, ErrResetAtOnce
	case m.ResetRequest(r.RequestedAt) != ResetRequest{}:
		return nil, ErrResetRequested
	}
	return []event.Event{ResetRequested{r}}, nil
}

// WithdrawReset ends a request (rule 10).
func (m Member) WithdrawReset(id ResetID) ([]event.Event, error) {
	if m.reset.Reset != id || id == (ResetID{}) {
		return nil, ErrNoResetRequest
	}
	return []event.Event{ResetWithdrawn{id}}, nil
}

// mayReset judges whether a person may take the passkeys of the member of staff (rule 10).
func (m Member) mayReset(by Second) error {
	if len(m.passkeys) == 0 {
		return nil
	}
	request := m.ResetRequest(by.At)
	switch {
	case request == ResetRequest{} || request.Reset != by.Request:
		return ErrResetNotRequested
	case !by.At.Before(request.RequestedAt.Add(ResetWait)):
		return nil
	case erasure.SamePerson(request.RequestedBy, by.By):
		return ErrResetWaits
	case by.Depends != nil:
		return ErrResetDependent
	}
	return nil
}
