package appointment

import (
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
)

// What the rules refuse.
var (
	ErrTimeless    = fault.New(fault.Invalid, "missing-appointment-time", "at, the time of the appointment, is missing.")
	ErrInvalidTime = fault.New(fault.Invalid, "invalid-appointment-time", "at, the time of the appointment, is not an RFC 3339 instant.")
	ErrExists      = fault.New(fault.Conflict, "appointment-exists", "The appointment was booked already.")
	ErrUnknown     = fault.New(fault.Refused, "appointment-not-found", "There is no appointment with this appointmentId.")
)

// StreamOf is the stream of an appointment.
func StreamOf(tenant string, id ID) event.Stream { return event.Stream{Tenant: tenant, ID: id.UUID} }

// Appointment is what the rules ask about an appointment.
type Appointment struct {
	subject      Subject // zero before it is booked
	calledIn     bool
	room         site.RoomID // of the call-in
	didNotAttend bool
}

// Book is rule 1. That patient and site exist was found out before. An instant
// that RFC 3339 cannot write in UTC is refused: it could not be stored.
func (a Appointment) Book(s Subject, at time.Time) ([]event.Event, error) {
	at = at.UTC()
	switch {
	case at.IsZero():
		return nil, ErrTimeless
	case at.Year() < 0 || at.Year() > 9999:
		return nil, ErrInvalidTime
	case a.Known() == nil:
		return nil, ErrExists
	}
	return []event.Event{Booked{s, at}}, nil
}

// CallIn is rule 2. A zero id means that no room is assigned; room is what is
// known of the one that it names, and refuses unless that is at the
// appointment's site.
func (a Appointment) CallIn(id site.RoomID, room site.Room, now time.Time) ([]event.Event, error) {
	if err := a.Known(); err != nil {
		return nil, err
	}
	if id != (site.RoomID{}) {
		if err := room.At(a.subject.Site); err != nil {
			return nil, err
		}
	}
	if a.calledIn && a.room == id {
		return nil, nil
	}
	return []event.Event{CalledIn{a.subject, id, instant(now)}}, nil
}

// ClearCallIn is rule 3. Without a call-in it changes nothing.
func (a Appointment) ClearCallIn(now time.Time) ([]event.Event, error) {
	if err := a.Known(); err != nil {
		return nil, err
	}
	return a.removed(Cleared, now), nil
}

// MarkDidNotAttend is rule 3. Marking twice changes nothing.
func (a Appointment) MarkDidNotAttend(now time.Time) ([]event.Event, error) {
	if err := a.Known(); err != nil || a.didNotAttend {
		return nil, err
	}
	return append([]event.Event{DidNotAttend{a.subject}}, a.removed(NotAttended, now)...), nil
}

// Attend is rule 3: a consultation with the appointment's patient has started.
// Another patient's appointment is refused like an unknown one.
func (a Appointment) Attend(about patient.ID, now time.Time) ([]event.Event, error) {
	if a.Known() != nil || a.subject.Patient != about {
		return nil, ErrUnknown.With("The patient has no appointment with this appointmentId.")
	}
	return append([]event.Event{Attended{a.subject}}, a.removed(ConsultationStarted, now)...), nil
}

// removed ends the call-in, if there is one.
func (a Appointment) removed(why Reason, now time.Time) []event.Event {
	if !a.calledIn {
		return nil
	}
	return []event.Event{CallInRemoved{a.subject, why, instant(now)}}
}

// instant cuts a time to what webhooks say of it.
func instant(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// Known refuses with [ErrUnknown] when the practice has no such appointment
// (D18).
func (a Appointment) Known() error {
	if a.subject == (Subject{}) {
		return ErrUnknown
	}
	return nil
}

// Apply implements [event.State].
func (a Appointment) Apply(e event.Event) Appointment {
	switch e := e.(type) {
	case Booked:
		a.subject = e.Subject
	case CalledIn:
		a.calledIn, a.room, a.didNotAttend = true, e.Room, false
	case CallInRemoved:
		a.calledIn, a.room = false, site.RoomID{}
	case DidNotAttend:
		a.didNotAttend = true
	case Attended:
		a.didNotAttend = false
	}
	return a
}
