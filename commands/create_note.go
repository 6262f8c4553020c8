package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
)

// CreateNote adds a note to a patient's care record (D17). Whether the caller
// may, was judged before.
type CreateNote struct {
	Tenant  string
	Patient patient.ID
	Text    string
}

// CreateNoteHandler handles [CreateNote].
type CreateNoteHandler struct {
	Store    Store
	Patients Patients
}

// Handle creates the note and returns the identifier minted for it, or the
// rule that refuses it: record.ErrEmptyNote, then patient.ErrUnknown for a
// patient of nobody or of another practice.
func (h CreateNoteHandler) Handle(ctx context.Context, c CreateNote) (record.NoteID, error) {
	id := record.NoteID{UUID: event.NewID()}
	events, err := record.Note{}.Create(id, c.Patient, c.Text)
	if err == nil {
		err = knowPatient(ctx, h.Patients, c.Tenant, c.Patient)
	}
	if err == nil {
		_, err = h.Store.Append(ctx, event.Change{Stream: record.NoteStreamOf(c.Tenant, id), Events: events})
	}
	if err != nil {
		return record.NoteID{}, fmt.Errorf("create note: %w", err)
	}
	return id, nil
}
