package request

import (
	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// Outcome says how a request ended.
type Outcome string

// The outcomes.
const (
	Replied           Outcome = "replied"
	AppointmentBooked Outcome = "appointment-booked"
	Signposted        Outcome = "signposted" // somebody else is right for it
	NoActionNeeded    Outcome = "no-action-needed"
)

// Outcomes lists how a request can end, in the order in which people are shown them.
func Outcomes() []Outcome {
	return []Outcome{Replied, AppointmentBooked, Signposted, NoActionNeeded}
}

// What happens to a request at the practice. Patient is to whom the request is linked
// from then on. What somebody wrote is sealed as what the patient wrote is.
type (
	// Taken says that somebody has the request who took it.
	Taken struct {
		Patient patient.ID `json:"patient"`
		By      staff.ID   `json:"by"`
	}
	// Given says that somebody has the request to whom it was given.
	Given struct {
		Patient patient.ID `json:"patient"`
		From    staff.ID   `json:"from,omitzero"` // zero if nobody had it
		To      staff.ID   `json:"to"`
	}
	// UrgencyChanged says whether the request is urgent.
	UrgencyChanged struct {
		Patient patient.ID `json:"patient"`
		Urgent  bool       `json:"urgent"`
	}
	// Noted says what the practice notes about the request for itself.
	Noted struct {
		Patient patient.ID `json:"patient"`
		Text    string     `json:"text" personal:"request"`
	}
	// Completed says that the request is done.
	Completed struct {
		Patient patient.ID `json:"patient"`
		By      staff.ID   `json:"by"`
		Outcome Outcome    `json:"outcome"`
		Text    string     `json:"text,omitempty" personal:"request"`
	}
	// Reopened says that the request is not done after all. Whoever reopens it has it.
	Reopened struct {
		Patient patient.ID `json:"patient"`
		By      staff.ID   `json:"by"`
		Reason  string     `json:"reason" personal:"request"`
	}
	// ReLinked says that the request is another patient's.
	ReLinked struct {
		Patient patient.ID `json:"patient"`
		Former  patient.ID `json:"former"` // whose it was taken to be
		Reason  string     `json:"reason" personal:"request"`
	}
)

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event { return append(Request{}.Events(), Opened{}, AttachmentOpened{}) }

// Events returns the events of a request's stream. Openings are streams of their own.
func (Request) Events() []event.Event { return append(Handling(), Submitted{}, EnteredInError{}) }

// Handling returns an empty event of each type that says what the practice did with a
// request.
func Handling() []event.Event {
	return []event.Event{Taken{}, Given{}, UrgencyChanged{}, Noted{}, Completed{}, Reopened{}, ReLinked{}}
}

// EventName returns the name that the event is stored under.
func (Taken) EventName() string { return "patient-request.taken.v1" }

// EventName returns the name that the event is stored under.
func (Given) EventName() string { return "patient-request.given.v1" }

// EventName returns the name that the event is stored under.
func (UrgencyChanged) EventName() string { return "patient-request.urgency-changed.v1" }

// EventName returns the name that the event is stored under.
func (Noted) EventName() string { return "patient-request.noted.v1" }

// EventName returns the name that the event is stored under.
func (Completed) EventName() string { return "patient-request.completed.v1" }

// EventName returns the name that the event is stored under.
func (Reopened) EventName() string { return "patient-request.reopened.v1" }

// EventName returns the name that the event is stored under.
func (ReLinked) EventName() string { return "patient-request.re-linked.v1" }

// PatientID returns to whom the request is linked then.
func (t Taken) PatientID() uuid.UUID { return t.Patient.UUID }

// PatientID returns to whom the request is linked then.
func (g Given) PatientID() uuid.UUID { return g.Patient.UUID }

// PatientID returns to whom the request is linked then.
func (c UrgencyChanged) PatientID() uuid.UUID { return c.Patient.UUID }

// PatientID returns to whom the request is linked then.
func (n Noted) PatientID() uuid.UUID { return n.Patient.UUID }

// PatientID returns to whom the request is linked then.
func (c Completed) PatientID() uuid.UUID { return c.Patient.UUID }

// PatientID returns to whom the request is linked then.
func (r Reopened) PatientID() uuid.UUID { return r.Patient.UUID }

// PatientID returns to whom the request is linked then.
func (r ReLinked) PatientID() uuid.UUID { return r.Patient.UUID }

// FormerPatientID returns the patient from whom everything in the stream moves to the
// one whom the event is about.
func (r ReLinked) FormerPatientID() uuid.UUID { return r.Former.UUID }
