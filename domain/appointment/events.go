package appointment

import (
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
)

// ID identifies an appointment of one practice; the API calls it appointmentId.
type ID struct{ uuid.UUID }

// Subject is which appointment an event is about, whose it is, and where it is by
// then. Only a move to another site changes any of it.
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

// Moved says that the patient is expected at another time, at another site or both.
type Moved struct {
	Subject           // with the site where the patient is expected now
	From    site.ID   `json:"from,omitzero"` // the site of before; zero if it is the same
	At      time.Time `json:"at"`            // when the patient is expected now, UTC
}

// Cancelled says that the patient is not expected any more.
type Cancelled struct {
	Subject
}

// Arrived says that the patient is there and waits.
type Arrived struct {
	Subject
	ArrivedAt time.Time `json:"arrivedAt"` // in milliseconds, UTC
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
	Cleared             Reason = "cleared" // by hand, also by who moves or cancels the appointment
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
func (Moved) EventName() string { return "appointment.moved.v1" }

// EventName returns the name that the event is stored under.
func (Cancelled) EventName() string { return "appointment.cancelled.v1" }

// EventName returns the name that the event is stored under.
func (Arrived) EventName() string { return "appointment.arrived.v1" }

// EventName returns the name that the event is stored under.
func (CalledIn) EventName() string { return "appointment.called-in.v1" }

// EventName returns the name that the event is stored under.
func (CallInRemoved) EventName() string { return "appointment.call-in-removed.v1" }

// EventName returns the name that the event is stored under.
func (DidNotAttend) EventName() string { return "appointment.did-not-attend.v1" }

// EventName returns the name that the event is stored under.
func (Attended) EventName() string { return "appointment.attended.v1" }

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event { return Appointment{}.Events() }

// Events returns the events of an appointment's stream.
func (Appointment) Events() []event.Event {
	return []event.Event{Booked{}, Moved{}, Cancelled{}, Arrived{}, CalledIn{}, CallInRemoved{}, DidNotAttend{}, Attended{}}
}

// StreamOf returns the stream of an appointment.
func StreamOf(tenant string, id ID) event.Stream { return event.Stream{Tenant: tenant, ID: id.UUID} }
