package record

import (
	"strings"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
)

// NoteID identifies a note; the API calls it noteId.
type NoteID struct{ uuid.UUID }

// NoteCreated records a new note in a patient's care record.
type NoteCreated struct {
	Note    NoteID     `json:"note"`
	Patient patient.ID `json:"patient"`
	Text    string     `json:"text" personal:"patient"`
}

// NoteEnteredInError records that a note must not be relied on, because it should not
// have been written, or not into this record. It stays in the record unchanged.
type NoteEnteredInError struct {
	Note    NoteID     `json:"note"`
	Patient patient.ID `json:"patient"`
	Reason  string     `json:"reason"` // in clear text, so without names
}

// EventName returns the name that the event is stored under.
func (NoteCreated) EventName() string { return "care-record.note-created.v1" }

// EventName returns the name that the event is stored under.
func (NoteEnteredInError) EventName() string { return "care-record.note-entered-in-error.v1" }

// PatientID returns the patient of the event.
func (n NoteCreated) PatientID() uuid.UUID { return n.Patient.UUID }

// PatientID returns the patient of the event.
func (n NoteEnteredInError) PatientID() uuid.UUID { return n.Patient.UUID }

// The refusals of notes.
var (
	ErrEmptyNote   = fault.New(fault.Invalid, "empty-note", "note must be given and must not be blank.")
	ErrUnknownNote = fault.New(fault.Refused, "note-not-found", "The patient has no note with this noteId.")
)

// NoteStreamOf returns the stream of a note.
func NoteStreamOf(tenant string, id NoteID) event.Stream {
	return event.Stream{Tenant: tenant, ID: id.UUID}
}

// CreateNote adds a note (rule 2), whose text is stored unchanged. The caller has made
// sure that the patient exists.
func CreateNote(id NoteID, about patient.ID, text string) ([]event.Event, error) {
	if strings.TrimSpace(text) == "" {
		return nil, ErrEmptyNote
	}
	return []event.Event{NoteCreated{id, about, text}}, nil
}

// Note is the state of a note that later decisions need.
type Note struct {
	id      NoteID // zero before it is created
	about   patient.ID
	inError bool
}

// MarkEnteredInError marks a note that must not be relied on (rule 3). A note of
// another patient is refused like an unknown one. Marking twice changes nothing.
func (n Note) MarkEnteredInError(about patient.ID, reason string) ([]event.Event, error) {
	reason, err := parse.Reason(reason)
	if err != nil {
		return nil, err
	}
	if !n.Known() || n.about != about {
		return nil, ErrUnknownNote
	}
	if n.inError {
		return nil, nil
	}
	return []event.Event{NoteEnteredInError{n.id, n.about, reason}}, nil
}

// Known reports whether the note was created.
func (n Note) Known() bool { return n.id != (NoteID{}) }

// Apply returns the note after the event.
func (n Note) Apply(e event.Event) Note {
	switch e := e.(type) {
	case NoteCreated:
		n.id, n.about = e.Note, e.Patient
	case NoteEnteredInError:
		n.inError = true
	}
	return n
}

// Events returns the events of a note's stream.
func (Note) Events() []event.Event { return []event.Event{NoteCreated{}, NoteEnteredInError{}} }
