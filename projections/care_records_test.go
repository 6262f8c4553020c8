package projections_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"frontdesk/domain/catalogue"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

func TestACareRecordIsThereAtOnceWithItsTexts_D17(t *testing.T) {
	t.Parallel()
	d := peopled(t)
	d.fill(t)
	got, err := projections.CareRecords{DB: d.Pool, Opens: d.Keys}.Find(t.Context(), elm, ann, false)
	if err != nil {
		t.Fatal(err)
	}
	last := noon.Add(8 * time.Second)
	want := projections.CareRecord{PatientName: "Ann Archer", BirthDate: "1980-02-29", Complete: true, Entries: []projections.RecordEntry{
		{Event: started, ID: started.Consultation.UUID, At: last, UserName: "Dr Doe"},
		{Event: note, ID: note.Note.UUID, At: last.Add(-time.Second), UserName: "Dr Lee"},
		{Event: asked, ID: askedAs, At: last.Add(-2 * time.Second)},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
}

// An entry stays as it was made. Only its mark is added.
func TestCareRecordMarksEnteredInError_D73(t *testing.T) {
	t.Parallel()
	d := peopled(t)
	d.fill(t)
	records := projections.CareRecords{DB: d.Pool, Opens: d.Keys}
	before, err := records.Find(t.Context(), elm, ann, false)
	if err != nil {
		t.Fatal(err)
	}
	d.happened(t.Context(), t, elm, note.Note.UUID, 1, noteInError)
	d.happened(t.Context(), t, elm, askedAs, 1, requestInError)
	got, err := records.Find(t.Context(), elm, ann, false)
	if err != nil {
		t.Fatal(err)
	}
	want := before
	last := noon.Add(9 * time.Second)
	want.Entries[1].InError = &projections.InError{Reason: "another patient's", At: last.Add(time.Second)}
	want.Entries[2].InError = &projections.InError{Reason: "sent twice", At: last.Add(2 * time.Second)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	d.follow(t, projections.Timeline{})
	happened, err := projections.Timeline{DB: d.Pool}.OfPatient(t.Context(), elm, ann, 0, 2)
	if err != nil || len(happened) != 2 || happened[0].Kind != catalogue.KindEnteredInError || happened[0].Entry != askedAs ||
		happened[1].Kind != catalogue.KindEnteredInError || happened[1].Entry != note.Note.UUID {
		t.Errorf("the timeline is %v, error %v", happened, err)
	}
}

func TestCareRecordHasCurrentName_D73(t *testing.T) {
	t.Parallel()
	d := peopled(t)
	d.happened(t.Context(), t, elm, patient.StreamOf(elm, ann).ID, 1, patient.DetailsChanged{Patient: ann, Name: "Ann Baker"})
	got, err := projections.CareRecords{DB: d.Pool, Opens: d.Keys}.Find(t.Context(), elm, ann, false)
	if err != nil || got.PatientName != "Ann Baker" || got.BirthDate != "" {
		t.Errorf("named %q, born %q, error %v", got.PatientName, got.BirthDate, err)
	}
}

func TestCareRecordIsOfOnePatient_D18(t *testing.T) {
	t.Parallel()
	d := peopled(t)
	d.fill(t)
	records := projections.CareRecords{DB: d.Pool, Opens: d.Keys}
	got, err := records.Find(t.Context(), elm, bill, false)
	want := projections.CareRecord{PatientName: "Bill Baker", Complete: true}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("error %v, record (-want +got):\n%s", err, diff)
	}
	if _, err := records.Find(t.Context(), oak, ann, false); !errors.Is(err, patient.ErrUnknown) {
		t.Errorf("another practice's patient: %v", err)
	}
}

func TestIncompleteCareRecordIsMarked(t *testing.T) {
	t.Parallel()
	d := peopled(t)
	long := note
	long.Text = strings.Repeat("cough ", 1<<20)
	for range 3 {
		d.happened(t.Context(), t, elm, uuid.New(), 0, long)
	}
	records := projections.CareRecords{DB: d.Pool, Opens: d.Keys}
	got, err := records.Find(t.Context(), elm, ann, true)
	if err != nil || got.Complete || len(got.Entries) != 1 {
		t.Errorf("%d entries, complete %t, error %v; want the newest alone", len(got.Entries), got.Complete, err)
	}
	if _, err := records.Find(t.Context(), elm, ann, false); !errors.Is(err, projections.ErrLongRecord) {
		t.Errorf("a long record that is not wanted: %v", err)
	}
}

func TestCareRecordHasTheNewestThousand(t *testing.T) {
	t.Parallel()
	d := peopled(t)
	var changes []event.Change
	for range 1001 {
		id := record.NoteID{UUID: event.NewID()}
		changes = append(changes, event.Change{
			Stream: record.NoteStreamOf(elm, id), Events: []event.Event{record.NoteCreated{Note: id, Patient: ann, Text: "a cough"}},
		})
	}
	if _, err := d.Store.Append(t.Context(), changes...); err != nil {
		t.Fatal(err)
	}
	got, err := projections.CareRecords{DB: d.Pool, Opens: d.Keys}.Find(t.Context(), elm, ann, true)
	if err != nil || got.Complete || len(got.Entries) != 1000 {
		t.Errorf("%d entries, complete %t, error %v; want 1000 of 1001", len(got.Entries), got.Complete, err)
	}
}

func TestARecordIsReadByPages_D85(t *testing.T) {
	t.Parallel()
	d := peopled(t)
	records := projections.CareRecords{DB: d.Pool, Opens: d.Keys}
	for n, text := range []string{"first", strings.Repeat("long ", 60_000), "third", "fourth"} {
		added := note
		added.Note.UUID, added.Text = uuid.New(), text
		d.happened(t.Context(), t, elm, added.Note.UUID, 0, added)
		if n == 3 {
			d.happened(t.Context(), t, elm, added.Note.UUID, 1, record.NoteEnteredInError{Note: added.Note, Patient: ann, Reason: "not hers"})
		}
	}
	var before uuid.UUID
	for n, want := range []string{"fourth third true", "long true", "first false"} { // an entry that is too long for the page ends it
		entries, more, err := records.Page(t.Context(), elm, ann, before, 2)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, e := range entries {
			word, _, _ := strings.Cut(e.Event.(record.NoteCreated).Text, " ")
			got += word + " "
		}
		if got += strconv.FormatBool(more); got != want {
			t.Errorf("page %d is %s, want %s", n, got, want)
		}
		if marked := entries[0].InError != nil; marked != (n == 0) {
			t.Errorf("page %d begins with what is in error: %t", n, marked)
		}
		before = entries[len(entries)-1].ID
	}
	for tenant, id := range map[string]patient.ID{oak: ann, elm: bill} {
		if entries, more, err := records.Page(t.Context(), tenant, id, uuid.Nil, 2); len(entries) > 0 || more || err != nil {
			t.Errorf("%s of %s: %v, %t, error %v", id, tenant, entries, more, err)
		}
	}
}

func TestBrokenGlassOpensARecordToOneMember_D85(t *testing.T) {
	t.Parallel()
	d := peopled(t)
	sight := func(tenant string, id patient.ID, member staff.ID) record.Sight {
		t.Helper()
		s, err := projections.Patients{DB: d.Pool}.Sight(t.Context(), tenant, id, member)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	smash := func(tenant string, id patient.ID, member staff.ID, from int, until time.Time) {
		t.Helper()
		ctx := event.WithMetadata(t.Context(), event.Metadata{Actor: event.Staff(member.UUID)})
		d.happened(ctx, t, tenant, record.GlassStreamOf(tenant, id, member).ID, from, record.GlassBroken{Patient: id, Reason: "she has collapsed", Until: until})
	}
	for _, id := range []patient.ID{ann, bill} {
		d.happened(t.Context(), t, elm, patient.StreamOf(elm, id).ID, 1, patient.RecordRestricted{Patient: id, Staff: []staff.ID{lee}})
	}
	smash(elm, ann, kim, 0, noon)
	smash(elm, ann, kim, 1, noon.Add(time.Hour))
	if open := sight(elm, ann, lee); open.Closed || !open.Restricted {
		t.Error("the record is closed to whom it is restricted to")
	}
	if s := sight(elm, ann, kim); !s.Closed || !s.Until.Equal(noon.Add(time.Hour)) {
		t.Errorf("who has broken the glass sees %+v", s)
	}
	for _, s := range []record.Sight{sight(elm, bill, kim), sight(elm, ann, staff.ID{UUID: uuid.New()})} {
		if s.Open(noon) || !s.Closed {
			t.Errorf("glass that was broken by one for one patient opens another's: %+v", s)
		}
	}
	if s := sight(oak, ann, kim); s != (record.Sight{}) {
		t.Errorf("a patient of another practice: %+v", s)
	}
}

func TestARestrictedRecordIsOpenToNamedStaff_D17(t *testing.T) {
	t.Parallel()
	d := peopled(t)
	patients := projections.Patients{DB: d.Pool}
	open := func(tenant string, id patient.ID, member staff.ID) bool {
		t.Helper()
		open, err := patients.RecordOpenTo(t.Context(), tenant, id, member)
		if err != nil {
			t.Fatal(err)
		}
		return open
	}
	stream := patient.StreamOf(elm, ann).ID
	if !open(elm, ann, kim) {
		t.Error("an unrestricted record is closed")
	}
	d.happened(t.Context(), t, elm, stream, 1, patient.RecordRestricted{Patient: ann, Staff: []staff.ID{lee}})
	if !open(elm, ann, lee) || open(elm, ann, kim) || open(elm, ann, staff.ID{}) || !open(elm, bill, kim) || !open(oak, ann, kim) {
		t.Error("a record restricted to one is not open to that one alone")
	}
	d.happened(t.Context(), t, elm, stream, 2, patient.RecordRestricted{Patient: ann})
	if open(elm, ann, lee) {
		t.Error("a record restricted to no staff is open")
	}
	d.happened(t.Context(), t, elm, stream, 3, patient.RestrictionLifted{Patient: ann})
	if !open(elm, ann, kim) {
		t.Error("a record whose restriction was lifted is closed")
	}
}
