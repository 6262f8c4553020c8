package record_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/staff"
)

var (
	noon    = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	ann     = patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a1")}
	opened  = record.CareRecordOpened{Patient: ann}
	created = record.NoteCreated{
		Note:    record.NoteID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-000000000091")},
		Patient: ann, Text: " a cough ",
	}
	broken  = record.GlassBroken{Patient: ann, Reason: "she has collapsed", Until: noon.Add(30 * time.Minute)}
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
	given(created).When(mark(ann, " ")).Refuses(t, parse.ErrInvalidReason)
	given(created).When(mark(bill, inError.Reason)).Refuses(t, record.ErrUnknownNote)
	given(created, inError).When(mark(bill, inError.Reason)).Refuses(t, record.ErrUnknownNote)
	given().When(mark(ann, inError.Reason)).Refuses(t, record.ErrUnknownNote)
	given().When(mark(patient.ID{}, inError.Reason)).Refuses(t, record.ErrUnknownNote)
	given(opened).When(mark(ann, inError.Reason)).Refuses(t, record.ErrUnknownNote)
}

func TestARestrictedRecordIsOpenedByAReason_D85(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[record.Glass]
	smash := func(reason string, at time.Time) func(record.Glass) ([]event.Event, error) {
		return func(g record.Glass) ([]event.Event, error) { return g.Break(ann, reason, at) }
	}
	longest := strings.Repeat("é", record.MaxGlassReason)
	again := record.GlassBroken{Patient: ann, Reason: longest, Until: noon.Add(time.Hour)}
	given().When(smash(" she has collapsed\n", noon)).Then(t, broken)
	given(broken).When(smash("once more", noon.Add(30*time.Minute-1))).Then(t)
	given(broken).When(smash(longest, noon.Add(30*time.Minute))).Then(t, again)
	for _, reason := range []string{"", " \u00a0", longest + "é"} {
		given().When(smash(reason, noon)).Refuses(t, record.ErrNoGlassReason)
	}
}

func TestBreakGlassOpensRecordForAWhile_D85(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sight         record.Sight
		open, byGlass bool
	}{
		{record.Sight{}, true, false},
		{record.Sight{Closed: true}, false, false},
		{record.Sight{Closed: true, Until: noon.Add(1)}, true, true},
		{record.Sight{Closed: true, Until: noon}, false, false},
	} {
		if open, byGlass := c.sight.Open(noon), c.sight.ByGlass(noon); open != c.open || byGlass != c.byGlass {
			t.Errorf("%+v: open %t, by glass %t", c.sight, open, byGlass)
		}
	}
	if record.GlassStreamOf("elm-street", ann, staff.ID{}) == record.GlassStreamOf("oak-lane", ann, staff.ID{}) {
		t.Error("two practices share a glass")
	}
}

func TestStoredEvents(t *testing.T) {
	t.Parallel()
	eventtest.Golden(t, opened, broken, created, inError)
}
