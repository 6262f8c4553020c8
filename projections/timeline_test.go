package projections_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/domain/catalogue"
	"frontdesk/domain/consultation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

// forDrDoe is an application that acts for a practitioner of another organisation.
var forDrDoe = event.Application(uuid.New(), "application-restricted", &event.OnBehalfOf{
	Practitioner: event.Practitioner{Name: "Dr Doe", Email: "doe@far.example"}, Organisation: event.Organisation{Name: "Far"},
})

// theRecord is Ann's events: a request, a note, a consultation, an opening.
var (
	note    = record.NoteCreated{Note: record.NoteID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-000000000091")}, Patient: ann, Text: "a cough"}
	started = consultation.Started{
		Consultation: consultation.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000f1")}, Patient: ann, Appointment: subject.Appointment,
	}
	asked = request.Submitted{
		Patient: ann, Type: request.Medical, Requester: request.ByPatient, Response: []request.Answer{{Question: "healthConcern", Answer: "a cough"}},
	}
	noteInError    = record.NoteEnteredInError{Note: note.Note, Patient: ann, Reason: "another patient's"}
	requestInError = request.EnteredInError{Patient: ann, Reason: "sent twice"}

	askedAs  = uuid.MustParse("0190c7a2-0000-7000-8000-000000000081")
	openedAs = uuid.MustParse("0190c7a2-0000-7000-8000-000000000071")
)

func (d *day) fill(t *testing.T) {
	t.Helper()
	byLee := as(t.Context(), event.Staff(lee.UUID))
	forLee := as(t.Context(), event.Operator("frontdesk_app", "alice@desk7").ActingFor(lee.UUID))
	forDrDoe := as(t.Context(), forDrDoe)
	d.happened(t.Context(), t, elm, askedAs, 0, asked)
	d.happened(forLee, t, elm, note.Note.UUID, 0, note)
	d.happened(forDrDoe, t, elm, started.Consultation.UUID, 0, started)
	d.happened(byLee, t, elm, openedAs, 0, record.CareRecordOpened{Patient: ann})
}

func TestTimelineListsNewestFirst(t *testing.T) {
	t.Parallel()
	d := peopled(t)
	d.fill(t)
	timeline := projections.Timeline{DB: d.Pool}
	d.follow(t, timeline)
	got, err := timeline.OfPatient(t.Context(), elm, ann, 0, 3)
	if err != nil {
		t.Fatal(err)
	}
	start := got[0].At
	want := []projections.TimelineEntry{
		{Idx: 9, Kind: catalogue.KindRecordOpened, Entry: openedAs, Actor: "staff:" + lee.String(), At: start},
		{Idx: 8, Kind: catalogue.KindConsultation, Entry: started.Consultation.UUID, Actor: got[1].Actor, At: start.Add(-time.Second)},
		{Idx: 7, Kind: catalogue.KindNote, Entry: note.Note.UUID, Actor: "operator:frontdesk_app (alice@desk7) for staff:" + lee.String(), At: start.Add(-2 * time.Second)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("timeline (-want +got):\n%s", diff)
	}
	rest, err := timeline.OfPatient(t.Context(), elm, ann, got[2].Idx, 3)
	if err != nil || len(rest) != 1 || rest[0].Kind != catalogue.KindRequest || rest[0].Entry != askedAs {
		t.Errorf("the rest is %v, error %v", rest, err)
	}
	for tenant, id := range map[string]patient.ID{oak: ann, elm: bill} {
		if got, err := timeline.OfPatient(t.Context(), tenant, id, 0, 3); err != nil || len(got) != 0 {
			t.Errorf("%s of %s: %v, error %v", id, tenant, got, err)
		}
	}
}
