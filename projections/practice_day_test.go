package projections_test

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain"
	"frontdesk/domain/appointment"
	"frontdesk/domain/consultation"
	"frontdesk/domain/display"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 345_000_000, time.UTC)

// day is a practice's database, with everything that is kept at once. What is personal is
// sealed.
type day struct {
	pool  *pgxpool.Pool
	codec *event.Codec
	keys  *postgres.Keyring
	store *postgres.Store
	at    time.Time // the clock
}

const elm, oak = "elm-street", "oak-lane"

func newDay(t testing.TB) *day {
	t.Helper()
	return dayOn(t, postgrestest.New(t))
}

func dayOn(t testing.TB, db *postgrestest.Database) *day {
	t.Helper()
	codec, err := event.NewCodec(domain.Events()...)
	if err != nil {
		t.Fatal(err)
	}
	pool := db.Pool(t)
	d := &day{pool: pool, codec: codec, at: noon}
	d.freshKeys(t)
	d.store = &postgres.Store{DB: postgres.On(pool), Codec: codec, Keys: d.keys, AtOnce: projections.AtOnce(), Now: func() time.Time { return d.at }}
	return d
}

// happened appends events to streams of their own, one append each, a second
// apart.
func (d *day) happened(ctx context.Context, t *testing.T, tenant string, stream uuid.UUID, from int, events ...event.Event) {
	t.Helper()
	d.at = d.at.Add(time.Second)
	change := event.Change{Stream: event.Stream{Tenant: tenant, ID: stream}, Expected: from, Events: events}
	if _, err := d.store.Append(ctx, change); err != nil {
		t.Fatal(err)
	}
}

// follow moves a following projection past everything that has happened.
func (d *day) follow(t *testing.T, p projections.Follower) {
	t.Helper()
	sequencer := postgres.NewSequencer(d.pool, nil, nil, slog.New(slog.DiscardHandler))
	if err := sequencer.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	tx, err := d.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	skipped := d.codec.Without(p.Follows()...)
	for e, err := range (postgres.Log{DB: d.pool, Codec: d.codec}).After(t.Context(), 0) {
		if err == nil && slices.Contains(skipped, e.EventName()) {
			continue
		}
		if err == nil {
			err = postgres.Following(p)(t.Context(), tx.Conn(), []event.Recorded{e})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func as(ctx context.Context, actor event.Actor) context.Context {
	return event.WithMetadata(ctx, event.Metadata{Actor: actor})
}

// The people and places of a day.
var (
	ann  = patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a1")}
	bill = patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a2")}
	lee  = staff.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000b1")}
	kim  = staff.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000b2")}
	main = site.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000c1")}
	room = site.RoomID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000d1")}

	subject = appointment.Subject{
		Appointment: appointment.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000e1")}, Patient: ann, Site: main,
	}
	booked   = appointment.Booked{Subject: subject, At: noon}
	calledIn = appointment.CalledIn{Subject: subject, Room: room, CalledInAt: noon.Add(time.Minute)}
	noRoom   = appointment.CalledIn{Subject: subject, CalledInAt: noon.Add(2 * time.Minute)}
	removed  = appointment.CallInRemoved{Subject: subject, Reason: appointment.Cleared, RemovedAt: noon.Add(3 * time.Minute)}
	absent   = appointment.DidNotAttend{Subject: subject}
	attended = appointment.Attended{Subject: subject}
	arrived  = appointment.Arrived{Subject: subject, ArrivedAt: noon.Add(-time.Minute)}
	moved    = appointment.Moved{Subject: subject, From: site.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000c2")}, At: noon}
)

// peopled is a day with a site, a room, two patients and a member of staff.
func peopled(t *testing.T) *day {
	t.Helper()
	d := newDay(t)
	ctx := t.Context()
	d.happened(ctx, t, elm, patient.StreamOf(elm, ann).ID, 0, patient.Registered{Patient: ann, Name: "Ann Archer", BirthDate: "1980-02-29"})
	d.happened(ctx, t, elm, patient.StreamOf(elm, bill).ID, 0, patient.Registered{Patient: bill, Name: "Bill Baker"})
	d.happened(ctx, t, elm, lee.UUID, 0, staff.Registered{Username: "dr.lee", Name: "Dr Lee", Email: "lee@elm.example"})
	d.happened(ctx, t, elm, main.UUID, 0, site.Added{Site: main, Name: "Elm Street"})
	d.happened(ctx, t, elm, room.UUID, 0, site.RoomAdded{Room: room, Site: main, Name: "Room 1"})
	return d
}

func TestSitesAndTheirRoomsAreListedByName(t *testing.T) {
	t.Parallel()
	d := peopled(t)
	branch := site.ID{UUID: uuid.New()}
	far := site.RoomID{UUID: uuid.New()}
	d.happened(t.Context(), t, elm, branch.UUID, 0, site.Added{Site: branch, Name: "Ash Road"})
	d.happened(t.Context(), t, elm, far.UUID, 0, site.RoomAdded{Room: far, Site: main, Name: "A room"})
	d.happened(t.Context(), t, elm, room.UUID, 1, site.RoomRenamed{Room: room, Site: main, Name: "Nurse"})
	d.happened(t.Context(), t, elm, main.UUID, 1, site.Renamed{Site: main, Name: "Elm House"})

	want := []projections.Site{{Site: branch, Name: "Ash Road"},
		{Site: main, Name: "Elm House", Rooms: []projections.Room{{Room: far, Name: "A room"}, {Room: room, Name: "Nurse"}}}}
	got, err := projections.Sites{DB: d.pool}.Of(t.Context(), elm)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("sites (-want +got), error %v:\n%s", err, diff)
	}
	if got, err := (projections.Sites{DB: d.pool}).Of(t.Context(), oak); len(got) != 0 || err != nil {
		t.Errorf("another practice has %v, error %v", got, err)
	}
}

func TestAnAppointmentHasTheStatusOfItsLastEvent(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	at := func(t time.Time) *time.Time { return &t }
	for name, c := range map[string]struct {
		history []event.Event
		want    projections.Appointment
	}{
		"booked":                  {[]event.Event{booked}, projections.Appointment{Status: projections.StatusBooked}},
		"called into a room":      {[]event.Event{booked, calledIn}, projections.Appointment{Status: projections.StatusCalledIn, Room: room, CalledInAt: at(calledIn.CalledInAt)}},
		"called in, room taken":   {[]event.Event{booked, calledIn, noRoom}, projections.Appointment{Status: projections.StatusCalledIn, CalledInAt: at(noRoom.CalledInAt)}},
		"cleared":                 {[]event.Event{booked, calledIn, removed}, projections.Appointment{Status: projections.StatusBooked}},
		"did not attend":          {[]event.Event{booked, calledIn, absent, removed}, projections.Appointment{Status: projections.StatusDidNotAttend}},
		"attended":                {[]event.Event{booked, calledIn, attended, removed}, projections.Appointment{Status: projections.StatusAttended}},
		"turned up after all":     {[]event.Event{booked, absent, calledIn}, projections.Appointment{Status: projections.StatusCalledIn, Room: room, CalledInAt: at(calledIn.CalledInAt)}},
		"attended, not called in": {[]event.Event{booked, attended}, projections.Appointment{Status: projections.StatusAttended}},
		"arrived":                 {[]event.Event{booked, arrived}, projections.Appointment{Status: projections.StatusBooked, ArrivedAt: &arrived.ArrivedAt}},
		"arrived, though late":    {[]event.Event{booked, absent, arrived}, projections.Appointment{Status: projections.StatusBooked, ArrivedAt: &arrived.ArrivedAt}},
		"arrived, already inside": {[]event.Event{booked, noRoom, arrived}, projections.Appointment{Status: projections.StatusCalledIn, ArrivedAt: &arrived.ArrivedAt, CalledInAt: at(noRoom.CalledInAt)}},
		"arrived, left":           {[]event.Event{booked, arrived, absent}, projections.Appointment{Status: projections.StatusDidNotAttend}},
		"cancelled":               {[]event.Event{booked, appointment.Cancelled{Subject: subject}}, projections.Appointment{Status: projections.StatusCancelled}},
		"moved here, expected anew": {[]event.Event{appointment.Booked{Subject: elsewhere, At: noon.Add(time.Hour)}, arrived, moved},
			projections.Appointment{Status: projections.StatusBooked}},
	} {
		id := appointment.ID{UUID: event.DerivedID("test-appointment", name)}
		of := uuid.New() // each at a site of its own
		d.happened(t.Context(), t, elm, id.UUID, 0, aboutAnother(id, of, c.history)...)
		c.want.Appointment, c.want.Patient, c.want.Site.UUID, c.want.StartsAt = id, ann, of, noon
		day, err := projections.Appointments{DB: d.pool}.Between(t.Context(), elm, c.want.Site, noon, noon.Add(time.Microsecond), 2)
		if diff := cmp.Diff([]projections.Appointment{c.want}, day); diff != "" || err != nil {
			t.Errorf("%s (-want +got), error %v:\n%s", name, err, diff)
		}
		one, err := projections.Appointments{DB: d.pool}.Of(t.Context(), elm, id)
		if diff := cmp.Diff(c.want, one); diff != "" || err != nil {
			t.Errorf("%s alone (-want +got), error %v:\n%s", name, err, diff)
		}
		if _, err := (projections.Appointments{DB: d.pool}).Of(t.Context(), oak, id); !errors.Is(err, appointment.ErrUnknown) {
			t.Errorf("%s, for another practice: %v", name, err)
		}
	}
}

// elsewhere is the subject before it came to the main site.
var elsewhere = appointment.Subject{Appointment: subject.Appointment, Patient: ann, Site: moved.From}

// aboutAnother is a history of the subject as one of another appointment, at another site.
func aboutAnother(id appointment.ID, at uuid.UUID, history []event.Event) (same []event.Event) {
	for _, e := range history {
		of := reflect.New(reflect.TypeOf(e)).Elem()
		of.Set(reflect.ValueOf(e))
		about := of.FieldByName("Subject").Addr().Interface().(*appointment.Subject)
		about.Appointment = id
		if about.Site == main {
			about.Site.UUID = at
		}
		same = append(same, of.Interface().(event.Event))
	}
	return same
}

func TestADaysAppointmentsAreThoseOfTheSiteAndThePractice(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	d.happened(t.Context(), t, elm, subject.Appointment.UUID, 0, booked)
	for name, c := range map[string]struct {
		tenant      string
		at          site.ID
		from, until time.Time
	}{
		"another practice": {oak, main, noon, noon.Add(time.Hour)},
		"another site":     {elm, site.ID{UUID: uuid.New()}, noon, noon.Add(time.Hour)},
		"later":            {elm, main, noon.Add(time.Millisecond), noon.Add(time.Hour)},
		"earlier":          {elm, main, noon.Add(-time.Hour), noon},
	} {
		found, err := projections.Appointments{DB: d.pool}.Between(t.Context(), c.tenant, c.at, c.from, c.until, 10)
		if err != nil || len(found) != 0 {
			t.Errorf("%s: found %v, error %v", name, found, err)
		}
	}
}

func TestTheBoardShowsWhoIsCalledInNow(t *testing.T) {
	t.Parallel()
	line := func(room string, at time.Time) []projections.CallIn {
		return []projections.CallIn{{Appointment: subject.Appointment, Patient: ann, Called: "Ann Archer", RoomName: room, CalledInAt: at}}
	}
	for name, c := range map[string]struct {
		history []event.Event
		since   time.Time
		want    []projections.CallIn
	}{
		"nobody is called in":    {[]event.Event{booked}, noon, nil},
		"into a room":            {[]event.Event{booked, calledIn}, noon, line("Room 1", calledIn.CalledInAt)},
		"then without one":       {[]event.Event{booked, calledIn, noRoom}, noon, line("", noRoom.CalledInAt)},
		"cleared":                {[]event.Event{booked, calledIn, removed}, noon, nil},
		"called in another time": {[]event.Event{booked, calledIn, removed, noRoom}, noon, line("", noRoom.CalledInAt)},
		"called in yesterday":    {[]event.Event{booked, calledIn}, noon.Add(12 * time.Hour), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := peopled(t)
			d.happened(t.Context(), t, elm, subject.Appointment.UUID, 0, c.history...)
			board := projections.CallInBoard{DB: d.pool, Names: projections.Names{DB: d.pool, Opens: d.keys}}
			d.follow(t, board)
			got, err := board.Showing(t.Context(), elm, main, display.FullName, c.since)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("board (-want +got):\n%s", diff)
			}
		})
	}
}

// forDrDoe is an application that acts for a practitioner of another organisation.
var forDrDoe = event.Application(uuid.New(), "application-restricted", &event.OnBehalfOf{
	Practitioner: event.Practitioner{Name: "Dr Doe", Email: "doe@far.example"}, Organisation: event.Organisation{Name: "Far"},
})

// theRecord is what happens to Ann: a request, a note, a consultation, an
// opening.
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

func TestATimelineIsWhatHappenedToOnePatientNewestFirst(t *testing.T) {
	t.Parallel()
	d := peopled(t)
	d.fill(t)
	timeline := projections.Timeline{DB: d.pool}
	d.follow(t, timeline)
	got, err := timeline.OfPatient(t.Context(), elm, ann, 0, 3)
	if err != nil {
		t.Fatal(err)
	}
	start := got[0].At
	want := []projections.Happening{
		{Idx: 9, Kind: projections.KindRecordOpened, Entry: openedAs, Actor: "staff:" + lee.String(), At: start},
		{Idx: 8, Kind: projections.KindConsultation, Entry: started.Consultation.UUID, Actor: got[1].Actor, At: start.Add(-time.Second)},
		{Idx: 7, Kind: projections.KindNote, Entry: note.Note.UUID, Actor: "operator:frontdesk_app (alice@desk7) for staff:" + lee.String(), At: start.Add(-2 * time.Second)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("timeline (-want +got):\n%s", diff)
	}
	rest, err := timeline.OfPatient(t.Context(), elm, ann, got[2].Idx, 3)
	if err != nil || len(rest) != 1 || rest[0].Kind != projections.KindRequest || rest[0].Entry != askedAs {
		t.Errorf("the rest is %v, error %v", rest, err)
	}
	for tenant, id := range map[string]patient.ID{oak: ann, elm: bill} {
		if got, err := timeline.OfPatient(t.Context(), tenant, id, 0, 3); err != nil || len(got) != 0 {
			t.Errorf("%s of %s: %v, error %v", id, tenant, got, err)
		}
	}
}
