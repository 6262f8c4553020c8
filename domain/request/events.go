package request

import (
	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// ID identifies a patient request: the patientRequestId of §2.5.
type ID struct{ uuid.UUID }

// Type is the sort of a request (§2.1).
type Type string

// The request types.
const (
	Medical Type = "medical"
	Admin   Type = "admin"
)

// Requester is who asks (§2.1).
type Requester string

// The requesters.
const (
	ByPatient Requester = "patient"
	ByProxy   Requester = "proxy"
)

// Answer is one response item (§2.2).
type Answer struct {
	Question string `json:"question"`
	Answer   string `json:"answer" personal:"patient"`
}

// Proxy is who asks on a patient's behalf (§2.3).
type Proxy struct {
	FirstName             string `json:"firstName" personal:"patient"`
	LastName              string `json:"lastName" personal:"patient"`
	RelationshipToPatient string `json:"relationshipToPatient" personal:"patient"`
}

// Submitted says that a patient request was made.
type Submitted struct {
	Patient      patient.ID   `json:"patient"`
	Type         Type         `json:"requestType"`
	Requester    Requester    `json:"requester"`
	Response     []Answer     `json:"response"`
	HighPriority bool         `json:"highPriority"`
	Proxy        *Proxy       `json:"proxy,omitempty"`
	Attachments  []Attachment `json:"attachments,omitempty"`
}

// EventName implements [event.Event].
func (Submitted) EventName() string { return "patient-request.submitted.v1" }

// PatientID implements [event.Patient].
func (s Submitted) PatientID() uuid.UUID { return s.Patient.UUID }

// Events are the events of this package, for the codec.
func Events() []event.Event { return []event.Event{Submitted{}} }
