package audit

import (
	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// Queried says that somebody has read of patients in the log or in the access
// record, or has read a file that was sent about one. Who it was is in the
// event's metadata.
type Queried struct {
	Command  string     `json:"command"`          // "log", "export", "calls", "who-accessed" or "attachment"
	Filter   string     `json:"filter"`           // what was asked for, as key=value&…; staff by their identifiers
	Patient  patient.ID `json:"patient,omitzero"` // whom the filter or the file names; zero if none
	Personal bool       `json:"personal"`         // personal data was asked for, too
	Count    int64      `json:"count"`            // of the events, calls or files that were about to be shown
}

// ReadsPatients reports whether the reading has to be recorded: it shows
// personal data, or it asks for one patient (rule 1).
func (q Queried) ReadsPatients() bool { return q.Personal || q.Patient.UUID != uuid.Nil }

// EventName names the event in the log.
func (Queried) EventName() string { return "audit.queried.v1" }

// PatientID is the patient of the reading; zero if it names none.
func (q Queried) PatientID() uuid.UUID { return q.Patient.UUID }

// Events are the events of this package, for the codec.
func Events() []event.Event { return []event.Event{Queried{}} }
