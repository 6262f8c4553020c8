package record

import (
	"slices"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// CareRecordOpened records an opening of a patient's care record. Its metadata has the
// actor.
type CareRecordOpened struct {
	Patient patient.ID `json:"patient"`
}

// EventName returns the name that the event is stored under.
func (CareRecordOpened) EventName() string { return "care-record.opened.v1" }

// PatientID returns the patient of the event.
func (o CareRecordOpened) PatientID() uuid.UUID { return o.Patient.UUID }

// OpeningID identifies one opening of a care record.
type OpeningID struct{ uuid.UUID }

// OpeningStreamOf returns the stream of one opening.
func OpeningStreamOf(tenant string, id OpeningID) event.Stream {
	return event.Stream{Tenant: tenant, ID: id.UUID}
}

// Open records an opening (rule 1). The caller has made sure that the patient
// exists.
func Open(about patient.ID) []event.Event { return []event.Event{CareRecordOpened{about}} }

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event {
	return slices.Concat([]event.Event{CareRecordOpened{}}, Glass{}.Events(), Note{}.Events())
}
