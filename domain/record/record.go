package record

import (
	"strings"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
)

// CareRecordOpened says that somebody has opened a patient's care record. Its
// metadata says who.
type CareRecordOpened struct {
	Patient patient.ID `json:"patient"`
}

// EventName returns the name that the event is stored under.
func (CareRecordOpened) EventName() string { return "care-record.opened.v1" }

// PatientID returns the patient whom the event is about.
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

// NoteID identifies a note; the API calls it noteId.
type NoteID struct{ uuid.UUID }

// NoteCreated says that a note was added to a patient's care record.
type NoteCreated struct {
	Note    NoteID     `json:"note"`
	Patient patient.ID `json:"patient"`
	Text    string     `json:"text" personal:"patient"`
}

// EventName returns the name that the event is stored under.
func (NoteCreated) EventName() string { return "care-record.note-created.v1" }

// PatientID returns the patient whom the event is about.
func (n NoteCreated) PatientID() uuid.UUID { return n.Patient.UUID }

// ErrEmptyNote refuses a note without text.
var ErrEmptyNote = fault.New(fault.Invalid, "empty-note", "note must be given and must not be blank.")

// NoteStreamOf returns the stream of a note.
func NoteStreamOf(tenant string, id NoteID) event.Stream {
	return event.Stream{Tenant: tenant, ID: id.UUID}
}

// CreateNote adds a note (rule 2), whose text is kept as it was written. The
// caller has made sure that the patient exists.
func CreateNote(id NoteID, about patient.ID, text string) ([]event.Event, error) {
	if strings.TrimSpace(text) == "" {
		return nil, ErrEmptyNote
	}
	return []event.Event{NoteCreated{id, about, text}}, nil
}

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event { return []event.Event{CareRecordOpened{}, NoteCreated{}} }
