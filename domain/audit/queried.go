package audit

import (
	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// Queried says that somebody has read of patients in the log or in the access
// record. Who, is in its metadata.
type Queried struct {
	Command  string     `json:"command"`          // "log", "export", "attachment" or "who-accessed"
	Filter   string     `json:"filter"`           // what was asked for, as key=value&…; staff by their identifiers
	Patient  patient.ID `json:"patient,omitzero"` // whose data was asked for; zero for no one patient's
	Personal bool       `json:"personal"`         // personal data was shown
	Count    int64      `json:"count"`            // events and calls that were shown
}

// EventName implements [event.Event].
func (Queried) EventName() string { return "audit.queried.v1" }

// PatientID implements [event.Patient]; it is zero for no one patient.
func (q Queried) PatientID() uuid.UUID { return q.Patient.UUID }

// Events are the events of this package, for the codec.
func Events() []event.Event { return []event.Event{Queried{}} }
