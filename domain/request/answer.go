package request

import (
	"slices"

	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// Answered records the practice's answer to the patient. The application that sent the
// request fetches it.
type Answered struct {
	Patient     patient.ID     `json:"patient"`
	Request     ID             `json:"request"`
	Application application.ID `json:"application"`
	Text        string         `json:"text" personal:"request"`
}

// EventName returns the name that the event is stored under.
func (Answered) EventName() string { return "patient-request.answered.v1" }

// PatientID returns the patient of the event.
func (a Answered) PatientID() uuid.UUID { return a.Patient.UUID }

// Completion is how a member of staff completes a request.
type Completion struct {
	Outcome Outcome
	Note    string // for staff; "" for none
	Answer  string // for the patient; "" for none
}

// The refusals of an answer to the patient.
var (
	ErrAnswerWithoutReply = fault.New(fault.Invalid, "answer-without-reply", "Choose the outcome replied, or leave the answer out.")
	ErrNoRecipient        = fault.New(fault.Refused, "no-recipient", "Leave the answer out: no application can fetch it for the patient.")
)

// Complete completes the request (rule 5), and answers the patient if the completion
// has an answer (rule 9).
func (r Request) Complete(id ID, by staff.ID, c Completion) ([]event.Event, error) {
	note, unfit := textOf(c.Note)
	answer, err := textOf(c.Answer)
	switch {
	case !slices.Contains(Outcomes(), c.Outcome):
		return nil, ErrUnknownOutcome
	case unfit != nil && note != "":
		return nil, ErrLongText
	case err != nil && c.Answer != "":
		return nil, err
	case answer != "" && c.Outcome != Replied:
		return nil, ErrAnswerWithoutReply
	case !r.submitted:
		return nil, ErrUnknown
	case r.done:
		return nil, ErrCompleted
	case r.holder.Member != staff.ID{} && r.holder.Member != by:
		return nil, ErrTaken
	case answer != "" && r.Recipient() == application.ID{}:
		return nil, ErrNoRecipient
	}
	events := []event.Event{Completed{r.about, by, c.Outcome, note}}
	if answer != "" {
		events = append(events, Answered{r.about, id, r.sender, answer})
	}
	return events, nil
}

// Recipient returns the application that can fetch an answer for the patient; zero for none.
func (r Request) Recipient() application.ID {
	if r.FoundBy(r.sender) != nil {
		return application.ID{}
	}
	return r.sender
}

// FoundBy returns nil if an application may know how the request ends: it sent the
// request, which is still linked to the patient that it named, and not entered in
// error. Otherwise the request does not exist for it: [ErrUnknown].
func (r Request) FoundBy(app application.ID) error {
	if app.UUID == uuid.Nil || r.sender != app || r.about != r.sentFor || r.inError {
		return ErrUnknown
	}
	return nil
}
