package record

import (
	"strings"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
)

// NoteID identifies a note: the noteId of D17.
type NoteID struct{ uuid.UUID }

// NoteCreated says that a note was added to a patient's care record.
type NoteCreated struct {
	Note    NoteID     `json:"note"`
	Patient patient.ID `json:"patient"`
	Text    string     `json:"text" personal:"patient"`
}

// EventName implements [event.Event].
func (NoteCreated) EventName() string { return "care-record.note-created.v1" }

// PatientID implements [event.Patient].
func (n NoteCreated) PatientID() uuid.UUID { return n.Patient.UUID }

// What the rules refuse.
var (
	ErrEmptyNote  = fault.New(fault.Invalid, "empty-note", "note is missing or blank.")
	ErrNoteExists = fault.New(fault.Conflict, "note-exists", "The note was created already.")
)

// NoteStreamOf is the stream of a note.
func NoteStreamOf(tenant string, id NoteID) event.Stream {
	return event.Stream{Tenant: tenant, ID: id.UUID}
}

// Note is what the rules ask about a note.
type Note struct{ created bool }

// Create is rule 2. That the patient exists was found out before. The text is
// kept as it was written.
func (n Note) Create(id NoteID, about patient.ID, text string) ([]event.Event, error) {
	switch {
	case strings.TrimSpace(text) == "":
		return nil, ErrEmptyNote
	case n.created:
		return nil, ErrNoteExists
	}
	return []event.Event{NoteCreated{id, about, text}}, nil
}

// Apply implements [event.State].
func (n Note) Apply(e event.Event) Note {
	if _, ok := e.(NoteCreated); ok {
		n.created = true
	}
	return n
}
