package commands

import (
	"context"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/staff"
)

// OpenCareRecord records that a patient's care record is opened. The permission was
// checked before.
type OpenCareRecord struct {
	Tenant  string
	Patient patient.ID
}

// OpenCareRecord refuses a patient of another practice with patient.ErrUnknown. It
// appends an event each time.
func (d Desk) OpenCareRecord(ctx context.Context, c OpenCareRecord) error {
	id := record.OpeningID{UUID: event.NewID()}
	return d.beginOfPatient(ctx, record.OpeningStreamOf(c.Tenant, id), record.Open(c.Patient)...)
}

// BreakGlass opens a restricted record to a member of staff who has no access to it.
type BreakGlass struct {
	Tenant  string
	Patient patient.ID
	By      staff.ID
	Reason  string // encrypted with the patient's key
}

// BreakGlass opens the record for record.GlassTime. It changes nothing if the record is
// open to the member of staff. It refuses a patient of another practice with
// patient.ErrUnknown, and then a record closed to them unless there is a reason.
func (d Desk) BreakGlass(ctx context.Context, c BreakGlass) error {
	about, err := Load[patient.Patient](ctx, d.Store, patient.StreamOf(c.Tenant, c.Patient))
	if err != nil {
		return err
	}
	if closed, err := about.ClosedTo(c.By); err != nil || !closed {
		return err
	}
	return Update(ctx, d.Store, record.GlassStreamOf(c.Tenant, c.Patient, c.By), func(g record.Glass) ([]event.Event, error) {
		return g.Break(c.Patient, c.Reason, d.instant())
	})
}

// CreateNote adds a note to a patient's care record. The permission was checked before.
type CreateNote struct {
	Tenant  string
	Patient patient.ID
	Once    string // names this one note, so that repeating it creates no second one; "" if it is sent once
	Text    string
}

// CreateNote returns the identifier of the new note. It refuses a blank note, and then
// a patient of another practice with patient.ErrUnknown.
func (d Desk) CreateNote(ctx context.Context, c CreateNote) (record.NoteID, error) {
	id := record.NoteID{UUID: newID("note", c.Once, c.Tenant, c.Patient.String())}
	events, err := record.CreateNote(id, c.Patient, c.Text)
	if err != nil {
		return record.NoteID{}, err
	}
	stream := record.NoteStreamOf(c.Tenant, id)
	if c.Once == "" {
		return id, d.beginOfPatient(ctx, stream, events...)
	}
	if err := d.knowPatient(ctx, c.Tenant, c.Patient); err != nil {
		return record.NoteID{}, err
	}
	return id, Update(ctx, d.Store, stream, func(n record.Note) ([]event.Event, error) {
		if n.Known() {
			return nil, nil
		}
		return events, nil
	})
}

// MarkNoteEnteredInError marks a note that must not be relied on.
type MarkNoteEnteredInError struct {
	Tenant  string
	Patient patient.ID // the patient of the note
	Note    record.NoteID
	Reason  string // in clear text, so without names
}

// MarkNoteEnteredInError changes nothing if the note is marked already. It refuses a note
// of another patient or practice with record.ErrUnknownNote.
func (d Desk) MarkNoteEnteredInError(ctx context.Context, c MarkNoteEnteredInError) error {
	return Update(ctx, d.Store, record.NoteStreamOf(c.Tenant, c.Note), func(n record.Note) ([]event.Event, error) {
		return n.MarkEnteredInError(c.Patient, c.Reason)
	})
}
