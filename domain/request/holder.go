package request

import (
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// Holder has a request: a member of staff, a team, or no one. At most one is not zero.
type Holder struct {
	Member staff.ID
	Team   staff.TeamID
}

// GivenToTeam records that a team was given the request. Each of its members sees it,
// and any member of staff can take it.
type GivenToTeam struct {
	Patient patient.ID   `json:"patient"`
	From    staff.ID     `json:"from,omitzero"` // zero if no member had it
	Team    staff.TeamID `json:"team"`
}

// EventName returns the name that the event is stored under.
func (GivenToTeam) EventName() string { return "patient-request.given-to-team.v1" }

// PatientID returns the linked patient after the event.
func (g GivenToTeam) PatientID() uuid.UUID { return g.Patient.UUID }

// PutOff records that the request waits until a day, on which it is new again: no member
// has it, and a team keeps it.
type PutOff struct {
	Patient patient.ID   `json:"patient"`
	Until   string       `json:"until"`         // a date of the practice, such as 2026-05-03
	Team    staff.TeamID `json:"team,omitzero"` // keeps it; zero for none
}

// EventName returns the name that the event is stored under.
func (PutOff) EventName() string { return "patient-request.put-off.v1" }

// PatientID returns the linked patient after the event.
func (p PutOff) PatientID() uuid.UUID { return p.Patient.UUID }

// MaxPutOff is the number of days for which a request can be put off.
const MaxPutOff = 366

var (
	// ErrInvalidPutOff refuses a day that is not in the year after today.
	ErrInvalidPutOff = fault.New(fault.Invalid, "invalid-put-off", "Choose a day after today, and within a year.")
	// ErrTwoHolders refuses a holder that is a member and a team at once.
	ErrTwoHolders = fault.New(fault.Invalid, "two-holders", "Choose one member of staff or one team.")
)

// Give gives the request from its holder, as the giver has seen it, to another (rule 4).
// The caller has made sure that a member is active. Teams are those of the practice. A
// request that was put off waits no longer.
func (r Request) Give(from, to Holder, teams staff.Teams) ([]event.Event, error) {
	holder := r.holderAmong(teams)
	switch {
	case to.Member != (staff.ID{}) && to.Team != (staff.TeamID{}):
		return nil, ErrTwoHolders
	case !r.submitted:
		return nil, ErrUnknown
	case r.done:
		return nil, ErrCompleted
	case to.Team != staff.TeamID{} && teams.Known(to.Team) != nil:
		return nil, staff.ErrUnknownTeam
	case holder == to && r.until == "":
		return nil, nil
	case holder != from && holder != to:
		return nil, ErrTaken
	case to.Team != staff.TeamID{}:
		return []event.Event{GivenToTeam{r.about, holder.Member, to.Team}}, nil
	}
	return []event.Event{Given{r.about, holder.Member, to.Member}}, nil
}

// holderAmong returns the holder. A team that was removed has no request.
func (r Request) holderAmong(teams staff.Teams) Holder {
	if teams.Known(r.holder.Team) != nil {
		return Holder{Member: r.holder.Member}
	}
	return r.holder
}

// PutOff puts the request off until a day (rule 10). Both days are dates of the practice,
// such as 2026-05-03; today is the present one. Teams are those of the practice.
func (r Request) PutOff(by staff.ID, until, today string, teams staff.Teams) ([]event.Event, error) {
	day, invalid := time.Parse(time.DateOnly, until)
	now, unknown := time.Parse(time.DateOnly, today)
	switch {
	case invalid != nil, unknown != nil, !day.After(now), day.After(now.AddDate(0, 0, MaxPutOff)):
		return nil, ErrInvalidPutOff
	case !r.submitted:
		return nil, ErrUnknown
	case r.done:
		return nil, ErrCompleted
	case r.holder.Member != staff.ID{} && r.holder.Member != by:
		return nil, ErrTaken
	case r.until == until:
		return nil, nil
	}
	return []event.Event{PutOff{r.about, until, r.holderAmong(teams).Team}}, nil
}
