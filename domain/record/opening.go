package record

import (
	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// CareRecordOpened says that somebody has opened a patient's care record:
// record.opened of §6.1. Who, is in its metadata.
type CareRecordOpened struct {
	Patient patient.ID `json:"patient"`
}

// EventName implements [event.Event].
func (CareRecordOpened) EventName() string { return "care-record.opened.v1" }

// PatientID implements [event.Patient].
func (o CareRecordOpened) PatientID() uuid.UUID { return o.Patient.UUID }

// Events are the events of this package, for the codec.
func Events() []event.Event { return []event.Event{CareRecordOpened{}, NoteCreated{}} }

// OpeningID identifies one opening of a care record.
type OpeningID struct{ uuid.UUID }

// OpeningStreamOf is the stream of one opening.
func OpeningStreamOf(tenant string, id OpeningID) event.Stream {
	return event.Stream{Tenant: tenant, ID: id.UUID}
}

// Open is rule 1. That the patient exists was found out before.
func Open(about patient.ID) []event.Event { return []event.Event{CareRecordOpened{about}} }
