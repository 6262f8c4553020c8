package consultation

import (
	"github.com/google/uuid"

	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
)

// ID identifies a consultation of one practice.
type ID struct{ uuid.UUID }

// Started says that a consultation has begun: consultation.started of §6.1.
type Started struct {
	Consultation ID             `json:"consultation"`
	Patient      patient.ID     `json:"patient"`
	Appointment  appointment.ID `json:"appointment,omitzero"` // zero without one
}

// EventName implements [event.Event].
func (Started) EventName() string { return "consultation.started.v1" }

// PatientID implements [event.Patient].
func (s Started) PatientID() uuid.UUID { return s.Patient.UUID }

// Events are the events of this package, for the codec.
func Events() []event.Event { return []event.Event{Started{}} }

// ErrExists is the refusal to start a consultation twice.
var ErrExists = fault.New(fault.Conflict, "consultation-exists", "The consultation was started already.")

// StreamOf is the stream of a consultation.
func StreamOf(tenant string, id ID) event.Stream { return event.Stream{Tenant: tenant, ID: id.UUID} }

// Consultation is what the rules ask about a consultation.
type Consultation struct{ started bool }

// Start is rule 1. That patient and appointment exist was found out before; a
// zero appointment means that there is none.
func (c Consultation) Start(id ID, about patient.ID, with appointment.ID) ([]event.Event, error) {
	if c.started {
		return nil, ErrExists
	}
	return []event.Event{Started{id, about, with}}, nil
}

// Apply implements [event.State].
func (c Consultation) Apply(e event.Event) Consultation {
	if _, ok := e.(Started); ok {
		c.started = true
	}
	return c
}
