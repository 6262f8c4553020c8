package request

import (
	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
)

// EnteredInError records that a request must not be relied on, because it should not
// have been made, or not for this patient. It stays in the record unchanged.
type EnteredInError struct {
	Patient patient.ID `json:"patient"`
	Reason  string     `json:"reason"` // in clear text, so without names
}

// EventName returns the name that the event is stored under.
func (EnteredInError) EventName() string { return "patient-request.entered-in-error.v1" }

// PatientID returns the patient of the event.
func (e EnteredInError) PatientID() uuid.UUID { return e.Patient.UUID }

// ErrUnknown refuses to act on a request that the patient has not made.
var ErrUnknown = fault.New(fault.Refused, "patient-request-not-found", "The practice has no patient request with this patientRequestId.")

// MarkEnteredInError marks a request that must not be relied on (rule 3). A request of
// another patient is refused like an unknown one. Marking twice changes nothing.
func (r Request) MarkEnteredInError(about patient.ID, reason string) ([]event.Event, error) {
	reason, err := parse.Reason(reason)
	if err != nil {
		return nil, err
	}
	if !r.submitted || r.about != about {
		return nil, ErrUnknown
	}
	if r.inError {
		return nil, nil
	}
	return []event.Event{EnteredInError{r.about, reason}}, nil
}
