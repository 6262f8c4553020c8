package record_test

import (
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
)

var (
	ann     = patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a1")}
	opened  = record.CareRecordOpened{Patient: ann}
	created = record.NoteCreated{
		Note:    record.NoteID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-000000000091")},
		Patient: ann, Text: " a cough ",
	}
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

func TestStoredEvents(t *testing.T) {
	t.Parallel()
	eventtest.Golden(t, opened, created)
}
