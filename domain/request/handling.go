package request

import (
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// Outcome is how a request ended.
type Outcome string

// The outcomes.
const (
	Replied           Outcome = "replied"
	AppointmentBooked Outcome = "appointment-booked"
	Signposted        Outcome = "signposted" // another service is responsible
	NoActionNeeded    Outcome = "no-action-needed"
)

// Outcomes lists the outcomes, in the order in which pages show them.
func Outcomes() []Outcome {
	return []Outcome{Replied, AppointmentBooked, Signposted, NoActionNeeded}
}

// The events of a request at the practice. Patient is the linked patient after the
// event. Texts of staff are encrypted like those of the patient.
type (
	// Taken records that a member of staff has taken the request.
	Taken struct {
		Patient patient.ID `json:"patient"`
		By      staff.ID   `json:"by"`
	}
	// Given records that a member of staff was given the request.
	Given struct {
		Patient patient.ID `json:"patient"`
		From    staff.ID   `json:"from,omitzero"` // zero if it had no holder
		To      staff.ID   `json:"to"`
	}
	// UrgencyChanged records whether the request is urgent.
	UrgencyChanged struct {
		Patient patient.ID `json:"patient"`
		Urgent  bool       `json:"urgent"`
	}
	// Noted records an internal note of the practice.
	Noted struct {
		Patient patient.ID `json:"patient"`
		Text    string     `json:"text" personal:"request"`
	}
	// Completed records that the request is done.
	Completed struct {
		Patient patient.ID `json:"patient"`
		By      staff.ID   `json:"by"`
		Outcome Outcome    `json:"outcome"`
		Text    string     `json:"text,omitempty" personal:"request"`
	}
	// Reopened records that the request is not done after all. The member who reopens
	// it becomes its holder.
	Reopened struct {
		Patient patient.ID `json:"patient"`
		By      staff.ID   `json:"by"`
		Reason  string     `json:"reason" personal:"request"`
	}
	// ReLinked records that the request belongs to another patient.
	ReLinked struct {
		Patient patient.ID `json:"patient"`
		Former  patient.ID `json:"former"` // the former link
		Reason  string     `json:"reason" personal:"request"`
	}
)

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event { return append(Request{}.Events(), Opened{}, AttachmentOpened{}) }

// Events returns the events of a request's stream. Openings are streams of their own.
func (Request) Events() []event.Event { return append(Handling(), Submitted{}, EnteredInError{}) }

// Handling returns an empty event of each type of the practice's work on a request.
func Handling() []event.Event {
	return []event.Event{Taken{}, Given{}, GivenToTeam{}, PutOff{}, UrgencyChanged{}, Noted{}, Completed{}, Answered{}, Reopened{}, ReLinked{}}
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

// PatientID returns the linked patient after the event.
func (t Taken) PatientID() uuid.UUID { return t.Patient.UUID }

// PatientID returns the linked patient after the event.
func (g Given) PatientID() uuid.UUID { return g.Patient.UUID }

// PatientID returns the linked patient after the event.
func (c UrgencyChanged) PatientID() uuid.UUID { return c.Patient.UUID }

// PatientID returns the linked patient after the event.
func (n Noted) PatientID() uuid.UUID { return n.Patient.UUID }

// PatientID returns the linked patient after the event.
func (c Completed) PatientID() uuid.UUID { return c.Patient.UUID }

// PatientID returns the linked patient after the event.
func (r Reopened) PatientID() uuid.UUID { return r.Patient.UUID }

// PatientID returns the linked patient after the event.
func (r ReLinked) PatientID() uuid.UUID { return r.Patient.UUID }

// FormerPatientID returns the former patient. All values in the stream move from them
// to the patient of the event.
func (r ReLinked) FormerPatientID() uuid.UUID { return r.Former.UUID }

// Held is an event that passes the request to a member of staff, or completes it.
type Held interface {
	event.Event
	// Held returns the member who has the request after the event, or has completed it.
	Held() (holder staff.ID, done bool)
}

// Held returns the member who took the request.
func (t Taken) Held() (holder staff.ID, done bool) { return t.By, false }

// Held returns the member who was given the request.
func (g Given) Held() (holder staff.ID, done bool) { return g.To, false }

// Held returns the member who completed the request.
func (c Completed) Held() (holder staff.ID, done bool) { return c.By, true }

// Held returns the member who reopened the request.
func (r Reopened) Held() (holder staff.ID, done bool) { return r.By, false }

// Request is the state of a request that later decisions need.
type Request struct {
	submitted bool
	sender    application.ID // zero if no application sent it
	sentFor   patient.ID     // the patient that it was sent for
	about     patient.ID     // the current link
	holder    Holder
	until     string // the day until which it was put off, which may have come; "" for none
	urgent    bool
	done      bool
	inError   bool
	files     []AttachmentID
}

// Patient returns the patient that the request is linked to, or [ErrUnknown].
func (r Request) Patient() (patient.ID, error) {
	if !r.submitted {
		return patient.ID{}, ErrUnknown
	}
	return r.about, nil
}

// Apply returns the request after the event.
func (r Request) Apply(e event.Event) Request {
	switch e := e.(type) {
	case Submitted:
		r.submitted, r.about, r.urgent = true, e.Patient, e.HighPriority
		r.sender, r.sentFor = e.Application, e.Patient
		r.files = e.files()
	case Held:
		member, done := e.Held()
		r.holder, r.done, r.until = Holder{Member: member}, done, ""
	case GivenToTeam:
		r.holder, r.until = Holder{Team: e.Team}, ""
	case PutOff:
		r.holder, r.until = Holder{Team: e.Team}, e.Until
	case UrgencyChanged:
		r.urgent = e.Urgent
	case ReLinked:
		r.about = e.Patient
	case EnteredInError:
		r.inError = true
	}
	return r
}

// MaxText limits the characters of one text of staff about a request.
const MaxText = 10_000

// The refusals of acts on a request. The slower of two actors is refused, and can see
// the other's act in the request's history.
var (
	ErrTaken     = fault.New(fault.Conflict, "patient-request-taken", "A colleague has already taken this request.")
	ErrCompleted = fault.New(fault.Conflict, "patient-request-completed", "This request is completed. Reopen it first.")
	ErrNotDone   = fault.New(fault.Conflict, "patient-request-not-done", "Leave the patient request open: it is not done, or someone has reopened it.")
	ErrMoved     = fault.New(fault.Conflict, "patient-request-moved", "A colleague has moved this request to another patient.")

	ErrChanged = fault.New(fault.Conflict, "patient-request-changed", "Look at the patient request again: someone has changed it.")

	ErrUnknownOutcome = fault.New(fault.Invalid, "unknown-outcome",
		"Choose an outcome from replied, appointment-booked, signposted and no-action-needed.")
	ErrInvalidText = fault.New(fault.Invalid, "invalid-text", "Enter a note of up to 10,000 characters.")
	ErrLongText    = fault.New(fault.Invalid, "text-too-long", "Write at most 10,000 characters.")
)

// Take gives the request to a member if no other member has it (rule 4).
func (r Request) Take(by staff.ID) ([]event.Event, error) {
	switch {
	case !r.submitted:
		return nil, ErrUnknown
	case r.done:
		return nil, ErrCompleted
	case r.holder.Member == by:
		return nil, nil
	case r.holder.Member != staff.ID{}:
		return nil, ErrTaken
	}
	return []event.Event{Taken{r.about, by}}, nil
}

// ChangeUrgency sets whether the request is urgent.
func (r Request) ChangeUrgency(urgent bool) ([]event.Event, error) {
	switch {
	case !r.submitted:
		return nil, ErrUnknown
	case r.urgent == urgent:
		return nil, nil
	}
	return []event.Event{UrgencyChanged{r.about, urgent}}, nil
}

// Note adds an internal note, also to a completed request.
func (r Request) Note(text string) ([]event.Event, error) {
	text, err := textOf(text)
	if err != nil {
		return nil, err
	}
	if !r.submitted {
		return nil, ErrUnknown
	}
	return []event.Event{Noted{r.about, text}}, nil
}

// Reopen reopens a completed request.
func (r Request) Reopen(by staff.ID, reason string) ([]event.Event, error) {
	reason, err := textOf(reason)
	switch {
	case err != nil:
		return nil, err
	case !r.submitted:
		return nil, ErrUnknown
	case !r.done:
		return nil, ErrNotDone
	}
	return []event.Event{Reopened{r.about, by, reason}}, nil
}

// ReLink links the request from its patient, as the member of staff has seen it, to
// another (rule 6). The caller has made sure that the other exists.
func (r Request) ReLink(from, to patient.ID, reason string) ([]event.Event, error) {
	reason, err := textOf(reason)
	switch {
	case err != nil:
		return nil, err
	case !r.submitted:
		return nil, ErrUnknown
	case r.about == to:
		return nil, nil
	case r.about != from:
		return nil, ErrMoved
	}
	return []event.Event{ReLinked{to, r.about, reason}}, nil
}

// textOf returns a text without surrounding space. It refuses one that is too long with
// [ErrInvalidText], and returns "" for an empty one.
func textOf(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" || utf8.RuneCountInString(text) > MaxText || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return text, ErrInvalidText
	}
	return text, nil
}
