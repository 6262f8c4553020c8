package record_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/domain/event"
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

func create(text string) func(record.Note) ([]event.Event, error) {
	return func(n record.Note) ([]event.Event, error) { return n.Create(created.Note, ann, text) }
}

func TestEveryOpeningIsRecorded_D37(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff([]event.Event{opened}, record.Open(ann)); diff != "" {
		t.Errorf("decided (-want +got):\n%s", diff)
	}
}

func TestANoteIsCreatedOnceAsItWasWritten(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[record.Note]

	given().When(create(" a cough ")).Then(t, created)
	given(created).When(create("a cough")).Refuses(t, record.ErrNoteExists)
}

func TestABlankNoteIsRefused_D17(t *testing.T) {
	t.Parallel()
	for _, blank := range []string{"", " ", "\n\t\u00a0"} {
		eventtest.Given[record.Note]().When(create(blank)).Refuses(t, record.ErrEmptyNote)
	}
}

func TestStoredEvents(t *testing.T) {
	t.Parallel()
	eventtest.Golden(t, opened, created)
}
