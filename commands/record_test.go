package commands_test

import (
	"testing"
	"time"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/staff"
)

func TestEveryOpeningOfARecordCounts_D37(t *testing.T) {
	t.Parallel()
	d := startDay(t)
	before := len(d.Log())
	handler := commands.Desk{Store: d, Patients: d}
	for range 2 {
		must(t, handler.OpenCareRecord(t.Context(), commands.OpenCareRecord{Tenant: elm, Patient: d.patient}))
	}
	opened := record.CareRecordOpened{Patient: d.patient}
	d.wantSince(t, before, opened, opened)
}

func TestOnlyAClosedRecordsGlassIsBroken_D85(t *testing.T) {
	t.Parallel()
	d := startDay(t)
	lee, sam := staff.ID{UUID: event.NewID()}, staff.ID{UUID: event.NewID()}
	now := noon()
	desk := commands.Desk{Store: d, Now: func() time.Time { return now }}
	smash := func(tenant string, by staff.ID, reason string) error {
		return desk.BreakGlass(t.Context(), commands.BreakGlass{Tenant: tenant, Patient: d.patient, By: by, Reason: reason})
	}
	before := len(d.Log())
	must(t, smash(elm, sam, "there is no glass"))
	d.wantSince(t, before)
	restricted := event.Change{Stream: patient.StreamOf(elm, d.patient), Expected: 1,
		Events: []event.Event{patient.RecordRestricted{Patient: d.patient, Staff: []staff.ID{lee}}}}
	_, err := d.Append(t.Context(), restricted)
	must(t, err)
	before = len(d.Log())
	must(t, smash(elm, lee, "it is open to her"))
	wantRefusal(t, smash(oak, sam, "of another practice"), patient.ErrUnknown)
	wantRefusal(t, smash(elm, sam, " "), record.ErrNoGlassReason)
	d.wantSince(t, before)
	must(t, smash(elm, sam, "she has collapsed"))
	must(t, smash(elm, sam, "she has collapsed"))
	now = now.Add(record.GlassTime)
	must(t, smash(elm, sam, "again"))
	d.wantSince(t, before, record.GlassBroken{Patient: d.patient, Reason: "she has collapsed", Until: now},
		record.GlassBroken{Patient: d.patient, Reason: "again", Until: now.Add(record.GlassTime)})
}

func TestNoteNeedsPatientOfPractice_D17(t *testing.T) {
	t.Parallel()
	d := startDay(t)
	before := len(d.Log())
	handler := commands.Desk{Store: d, Patients: d}

	_, err := handler.CreateNote(t.Context(), commands.CreateNote{Tenant: elm, Patient: d.patient, Text: " "})
	wantRefusal(t, err, record.ErrEmptyNote)
	id := made[record.NoteID](t)(handler.CreateNote(t.Context(),
		commands.CreateNote{Tenant: elm, Patient: d.patient, Text: "a cough"}))

	form := commands.CreateNote{Tenant: elm, Patient: d.patient, Once: "form", Text: "a cold"}
	sent := made[record.NoteID](t)(handler.CreateNote(t.Context(), form))
	if again := made[record.NoteID](t)(handler.CreateNote(t.Context(), form)); again != sent {
		t.Errorf("the form sent twice made the notes %s and %s", sent, again)
	}
	form.Tenant = oak
	_, err = handler.CreateNote(t.Context(), form)
	wantRefusal(t, err, patient.ErrUnknown)
	d.wantSince(t, before, record.NoteCreated{Note: id, Patient: d.patient, Text: "a cough"},
		record.NoteCreated{Note: sent, Patient: d.patient, Text: "a cold"})
}
