package record_test

import (
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/written"
)

var (
	ann     = patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a1")}
	opened  = record.CareRecordOpened{Patient: ann}
	created = record.NoteCreated{
		Note:    record.NoteID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-000000000091")},
		Patient: ann, Text: " a cough ",
	}
	bill    = patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a2")}
	inError = record.NoteEnteredInError{Note: created.Note, Patient: ann, Reason: "written into the wrong record"}
)

func create(text string) eventtest.Outcome {
	return eventtest.Decided(record.CreateNote(created.Note, ann, text))
}

func TestEveryOpeningIsRecorded_D37(t *testing.T) {
	t.Parallel()
	eventtest.Decided(record.Open(ann), nil).Then(t, opened)
}

func TestANoteIsCreatedAsItWasWritten(t *testing.T) {
	t.Parallel()
	create(" a cough ").Then(t, created)
}

func TestABlankNoteIsRefused_D17(t *testing.T) {
	t.Parallel()
	for _, blank := range []string{"", " ", "\n\t\u00a0"} {
		create(blank).Refuses(t, record.ErrEmptyNote)
	}
}

func TestANoteIsMarkedAsEnteredInErrorOnce_D73(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[record.Note]
	mark := func(about patient.ID, reason string) func(record.Note) ([]event.Event, error) {
		return func(n record.Note) ([]event.Event, error) { return n.MarkEnteredInError(about, reason) }
	}

	given(created).When(mark(ann, " written into the wrong record ")).Then(t, inError)
	given(created, inError).When(mark(ann, "another reason")).Then(t)
	given(created).When(mark(ann, " ")).Refuses(t, written.ErrInvalidReason)
	given(created).When(mark(bill, inError.Reason)).Refuses(t, record.ErrUnknownNote)
	given(created, inError).When(mark(bill, inError.Reason)).Refuses(t, record.ErrUnknownNote)
	given().When(mark(ann, inError.Reason)).Refuses(t, record.ErrUnknownNote)
	given().When(mark(patient.ID{}, inError.Reason)).Refuses(t, record.ErrUnknownNote)
	given(opened).When(mark(ann, inError.Reason)).Refuses(t, record.ErrUnknownNote)
}

func TestStoredEvents(t *testing.T) {
	t.Parallel()
	eventtest.Golden(t, opened, created, inError)
}
