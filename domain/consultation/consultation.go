package consultation

import (
	"github.com/google/uuid"

	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// ID identifies a consultation of one practice.
type ID struct{ uuid.UUID }

// Started records that a consultation has begun.
type Started struct {
	Consultation ID             `json:"consultation"`
	Patient      patient.ID     `json:"patient"`
	Appointment  appointment.ID `json:"appointment,omitzero"` // zero without one
}

// EventName returns the name that the event is stored under.
func (Started) EventName() string { return "consultation.started.v1" }

// PatientID returns the patient of the event.
func (s Started) PatientID() uuid.UUID { return s.Patient.UUID }

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event { return []event.Event{Started{}} }

// StreamOf returns the stream of a consultation.
func StreamOf(tenant string, id ID) event.Stream { return event.Stream{Tenant: tenant, ID: id.UUID} }

// Start begins a consultation (rule 1). The caller has made sure that patient and
// appointment exist. A zero appointment means a consultation without one.
func Start(id ID, about patient.ID, with appointment.ID) []event.Event {
	return []event.Event{Started{id, about, with}}
}
