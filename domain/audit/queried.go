package audit

import (
	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// Queried records a query for patient data from the log, from the access record or from
// an attachment, before its results are shown. Its metadata has the reader.
type Queried struct {
	Command  string     `json:"command"`          // "log", "export", "prove", "who-accessed", "calls", "attachment", "subject-pack", "find-patient", "import-patients", "list-staff", "export-practice", "list-authorisations" or "list-erasure-requests"
	Filter   string     `json:"filter"`           // as key=value&…; staff and applications by their identifiers
	Patient  patient.ID `json:"patient,omitzero"` // the patient of the query; zero if not limited to one patient
	Personal bool       `json:"personal"`         // whether personal data is shown
	Count    int64      `json:"count"`            // number of events, calls, attachments, people or authorisations that are shown
}

// EventName returns the name that the event is stored under.
func (Queried) EventName() string { return "audit.queried.v1" }

// PatientID returns the patient of the query; zero if it was not limited to one
// patient.
func (q Queried) PatientID() uuid.UUID { return q.Patient.UUID }

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event { return []event.Event{Archived{}, Queried{}} }

// ReadsPatients reports whether the reading has to be recorded: it shows personal data,
// or it is limited to one patient.
func (q Queried) ReadsPatients() bool { return q.Personal || q.Patient.UUID != uuid.Nil }
