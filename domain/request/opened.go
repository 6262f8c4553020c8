package request

import (
	"slices"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
)

// Openings of a request by staff. Each is a stream of its own.
type (
	// Opened records an opening of the request. Its metadata has the actor.
	Opened struct {
		Patient patient.ID `json:"patient"`
		Request ID         `json:"request"`
	}
	// AttachmentOpened records an opening of a file of the request.
	AttachmentOpened struct {
		Patient    patient.ID   `json:"patient"`
		Request    ID           `json:"request"`
		Attachment AttachmentID `json:"attachment"`
	}
)

// EventName returns the name that the event is stored under.
func (Opened) EventName() string { return "patient-request.opened.v1" }

// EventName returns the name that the event is stored under.
func (AttachmentOpened) EventName() string { return "attachment.opened.v1" }

// PatientID returns the patient of the event.
func (o Opened) PatientID() uuid.UUID { return o.Patient.UUID }

// PatientID returns the patient of the event.
func (o AttachmentOpened) PatientID() uuid.UUID { return o.Patient.UUID }

// ErrUnknownAttachment refuses to show a file that the request does not name.
var ErrUnknownAttachment = fault.New(fault.Missing, "unknown-attachment", "No patient request has an attachment with this identifier.")

// Open records an opening of the request, before it is shown (rule 7).
func (r Request) Open(id ID) ([]event.Event, error) {
	if !r.submitted {
		return nil, ErrUnknown
	}
	return []event.Event{Opened{r.about, id}}, nil
}

// OpenAttachment records an opening of a file of the request, before it is shown (rule 7).
func (r Request) OpenAttachment(id ID, file AttachmentID) ([]event.Event, error) {
	switch {
	case !r.submitted:
		return nil, ErrUnknown
	case !slices.Contains(r.files, file):
		return nil, ErrUnknownAttachment
	}
	return []event.Event{AttachmentOpened{r.about, id, file}}, nil
}
