package appointment

import (
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
)

// ID identifies an appointment of one practice; the API calls it appointmentId.
type ID struct{ uuid.UUID }

// Subject is which appointment an event is about, whose it is, and where. It
// never changes.
type Subject struct {
	Appointment ID         `json:"appointment"`
	Patient     patient.ID `json:"patient"`
	Site        site.ID    `json:"site"`
}

// PatientID returns the patient whom the event is about.
func (s Subject) PatientID() uuid.UUID { return s.Patient.UUID }

// Booked says that a patient is expected.
type Booked struct {
	Subject
	At time.Time `json:"at"` // when the patient is expected, UTC
}

// CalledIn says that the patient is called in, for the first time or into
// another room.
type CalledIn struct {
	Subject
	Room       site.RoomID `json:"room,omitzero"` // zero when none is assigned
	CalledInAt time.Time   `json:"calledInAt"`    // in milliseconds, UTC
}

// CallInRemoved says that the patient is not called in any more.
type CallInRemoved struct {
	Subject
	Reason    Reason    `json:"reason"`
	RemovedAt time.Time `json:"removedAt"` // in milliseconds, UTC
}

// Reason is why a call-in was removed.
type Reason string

// The reasons.
const (
	Cleared             Reason = "cleared"
	NotAttended         Reason = "did-not-attend"
	ConsultationStarted Reason = "consultation-started"
)

// DidNotAttend says that the patient was marked as not attending.
type DidNotAttend struct {
	Subject
}

// Attended says that the appointment's consultation has started. There may be
// several, by one clinician after another.
type Attended struct {
	Subject
}

// EventName returns the name that the event is stored under.
func (Booked) EventName() string { return "appointment.booked.v1" }

// EventName returns the name that the event is stored under.
func (CalledIn) EventName() string { return "appointment.called-in.v1" }

// EventName returns the name that the event is stored under.
func (CallInRemoved) EventName() string { return "appointment.call-in-removed.v1" }

// EventName returns the name that the event is stored under.
func (DidNotAttend) EventName() string { return "appointment.did-not-attend.v1" }

// EventName returns the name that the event is stored under.
func (Attended) EventName() string { return "appointment.attended.v1" }

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event {
	return []event.Event{Booked{}, CalledIn{}, CallInRemoved{}, DidNotAttend{}, Attended{}}
}

// The refusals of this package's rules.
var (
	ErrTimeless    = fault.New(fault.Invalid, "missing-appointment-time", "at, the time of the appointment, must be given.")
	ErrInvalidTime = fault.New(fault.Invalid, "invalid-appointment-time", "at, the time of the appointment, must be an RFC 3339 instant.")
	ErrUnknown     = fault.New(fault.Refused, "appointment-not-found", "There is no appointment with this appointmentId.")
)

// StreamOf returns the stream of an appointment.
func StreamOf(tenant string, id ID) event.Stream { return event.Stream{Tenant: tenant, ID: id.UUID} }

// Book expects a patient at a site (rule 1); the caller has made sure that both
// exist. An instant that RFC 3339 cannot write in UTC could not be stored, so
// it is refused.
func Book(s Subject, at time.Time) ([]event.Event, error) {
	at = at.UTC()
	switch {
	case at.IsZero():
		return nil, ErrTimeless
	case at.Year() < 0 || at.Year() > 9999:
		return nil, ErrInvalidTime
	}
	return []event.Event{Booked{s, at}}, nil
}

// Appointment is what later decisions need to know of an appointment.
type Appointment struct {
	subject      Subject // zero before it is booked
	calledIn     bool
	room         site.RoomID // of the call-in
	didNotAttend bool
}

// CallIn calls the patient in (rule 2). A zero id means that no room is
// assigned. Otherwise room is the state of the room that id names, and it must
// be at the appointment's site.
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

// ClearCallIn ends the call-in by hand. Without a call-in it changes nothing.
func (a Appointment) ClearCallIn(now time.Time) ([]event.Event, error) {
	if err := a.Known(); err != nil {
		return nil, err
	}
	return a.removed(Cleared, now), nil
}

// MarkDidNotAttend says that the patient did not come, which ends a call-in.
// Marking twice changes nothing.
func (a Appointment) MarkDidNotAttend(now time.Time) ([]event.Event, error) {
	if err := a.Known(); err != nil || a.didNotAttend {
		return nil, err
	}
	return append([]event.Event{DidNotAttend{a.subject}}, a.removed(NotAttended, now)...), nil
}

// Attend says that a consultation with the appointment's patient has started,
// which ends a call-in. An appointment of another patient is refused as an
// unknown one is.
func (a Appointment) Attend(about patient.ID, now time.Time) ([]event.Event, error) {
	if a.Known() != nil || a.subject.Patient != about {
		return nil, ErrUnknown.With("The patient has no appointment with this appointmentId.")
	}
	return append([]event.Event{Attended{a.subject}}, a.removed(ConsultationStarted, now)...), nil
}

// Known returns [ErrUnknown] if the practice has no such appointment.
func (a Appointment) Known() error {
	if a.subject == (Subject{}) {
		return ErrUnknown
	}
	return nil
}

// Apply returns the appointment as it is after the event.
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

// removed returns the end of the call-in, if there is one.
func (a Appointment) removed(why Reason, now time.Time) []event.Event {
	if !a.calledIn {
		return nil
	}
	return []event.Event{CallInRemoved{a.subject, why, instant(now)}}
}

// instant cuts a time to the milliseconds that webhooks show.
func instant(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
