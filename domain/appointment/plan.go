package appointment

import (
	"slices"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/staff"
)

// Plan is the clinician, the length and the kind of an appointment. Each may be left
// open.
type Plan struct {
	Clinician staff.ID `json:"clinician,omitzero"` // zero for no one in particular
	Minutes   int      `json:"minutes,omitzero"`   // the length; 0 if it is open
	Kind      Kind     `json:"kind,omitzero"`      // "" if it is open
}

// Kind is how the patient is seen.
type Kind string

// The kinds.
const (
	FaceToFace Kind = "face-to-face"
	Telephone  Kind = "telephone"
	Video      Kind = "video"
	HomeVisit  Kind = "home-visit"
)

// Kinds lists the kinds, in the order in which pages show them.
func Kinds() []Kind { return []Kind{FaceToFace, Telephone, Video, HomeVisit} }

// The limits of a length, in minutes.
const (
	MinMinutes = 5
	MaxMinutes = 120
)

// The refusals of a plan.
var (
	ErrInvalidLength = fault.New(fault.Invalid, "invalid-appointment-length", "Enter a length of 5 to 120 minutes.")
	ErrUnknownKind   = fault.New(fault.Invalid, "unknown-appointment-kind", "Choose a kind of appointment from face-to-face, telephone, video and home-visit.")
	ErrNoClinician   = fault.New(fault.Refused, "not-a-clinician", "Choose an active member of staff who is a clinician.")
)

// check refuses an unknown kind, and a length out of its limits.
func (p Plan) check() error {
	switch {
	case p.Minutes != 0 && (p.Minutes < MinMinutes || p.Minutes > MaxMinutes):
		return ErrInvalidLength
	case p.Kind != "" && !slices.Contains(Kinds(), p.Kind):
		return ErrUnknownKind
	}
	return nil
}

// Planned records that the appointment has another plan.
type Planned struct {
	Subject
	Plan // the new one
}

// EventName returns the name that the event is stored under.
func (Planned) EventName() string { return "appointment.planned.v1" }

// replan returns the event of another plan; none if it is the same.
func (a Appointment) replan(s Subject, to Plan) []event.Event {
	if a.plan == to {
		return nil
	}
	return []event.Event{Planned{s, to}}
}

// IsWith reports whether the appointment is planned with this clinician. They stay when
// they are no clinician any longer, until the appointment is planned with another.
func (a Appointment) IsWith(clinician staff.ID) bool { return a.plan.Clinician == clinician }
