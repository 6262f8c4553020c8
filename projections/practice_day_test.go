package projections_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"frontdesk/domain/appointment"
	"frontdesk/domain/display"
	"frontdesk/domain/event"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

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
	got, err := projections.Sites{DB: d.Pool}.List(t.Context(), elm)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("sites (-want +got), error %v:\n%s", err, diff)
	}
	if got, err := (projections.Sites{DB: d.Pool}).List(t.Context(), oak); len(got) != 0 || err != nil {
		t.Errorf("another practice has %v, error %v", got, err)
	}
}

func TestAppointmentHasStatusOfLastEvent(t *testing.T) {
	t.Parallel()
	d := peopled(t)
	at := func(t time.Time) *time.Time { return &t }
	planned := booked
	planned.Plan = appointment.Plan{Clinician: lee, Minutes: 15, Kind: appointment.Telephone}
	var all []projections.Appointment
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
		"arrival undone":          {[]event.Event{booked, arrived, appointment.ArrivalCleared{Subject: subject}}, projections.Appointment{Status: projections.StatusBooked}},
		"late arrival undone":     {[]event.Event{booked, absent, arrived, appointment.ArrivalCleared{Subject: subject, DidNotAttend: true}}, projections.Appointment{Status: projections.StatusDidNotAttend}},
		"absence undone":          {[]event.Event{booked, absent, appointment.DidNotAttendCleared{Subject: subject}}, projections.Appointment{Status: projections.StatusBooked}},
		"left, undone":            {[]event.Event{booked, arrived, absent, appointment.DidNotAttendCleared{Subject: subject, ArrivedAt: arrived.ArrivedAt}}, projections.Appointment{Status: projections.StatusBooked, ArrivedAt: &arrived.ArrivedAt}},
		"planned":                 {[]event.Event{planned, calledIn}, projections.Appointment{Status: projections.StatusCalledIn, Room: room, CalledInAt: at(calledIn.CalledInAt), Plan: planned.Plan, ClinicianName: "Dr Lee"}},
		"planned otherwise": {[]event.Event{planned, appointment.Planned{Subject: subject, Plan: appointment.Plan{Kind: appointment.Video}}},
			projections.Appointment{Status: projections.StatusBooked, Plan: appointment.Plan{Kind: appointment.Video}}},
		"cancelled": {[]event.Event{booked, appointment.Cancelled{Subject: subject}}, projections.Appointment{Status: projections.StatusCancelled}},
		"moved here, expected anew": {[]event.Event{appointment.Booked{Subject: elsewhere, At: noon.Add(time.Hour)}, arrived, moved},
			projections.Appointment{Status: projections.StatusBooked}},
	} {
		id := appointment.ID{UUID: event.DerivedID("test-appointment", name)}
		of := uuid.New() // each at a site of its own
		d.happened(t.Context(), t, elm, id.UUID, 0, aboutAnother(id, of, c.history)...)
		c.want.Appointment, c.want.Patient, c.want.Site.UUID, c.want.StartsAt = id, ann, of, noon
		day, err := projections.Appointments{DB: d.Pool}.Between(t.Context(), elm, c.want.Site, staff.ID{}, noon, noon.Add(time.Microsecond), 2)
		if diff := cmp.Diff([]projections.Appointment{c.want}, day); diff != "" || err != nil {
			t.Errorf("%s (-want +got), error %v:\n%s", name, err, diff)
		}
		one, err := projections.Appointments{DB: d.Pool}.Find(t.Context(), elm, id)
		if diff := cmp.Diff(c.want, one); diff != "" || err != nil {
			t.Errorf("%s alone (-want +got), error %v:\n%s", name, err, diff)
		}
		if _, err := (projections.Appointments{DB: d.Pool}).Find(t.Context(), oak, id); !errors.Is(err, appointment.ErrUnknown) {
			t.Errorf("%s, for another practice: %v", name, err)
		}
		all = append(all, c.want)
	}
	for _, want := range all { // the events of one change no other
		one, err := projections.Appointments{DB: d.Pool}.Find(t.Context(), elm, want.Appointment)
		if diff := cmp.Diff(want, one); diff != "" || err != nil {
			t.Errorf("at the end (-want +got), error %v:\n%s", err, diff)
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

func TestDayListsAppointmentsOfSite(t *testing.T) {
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
		found, err := projections.Appointments{DB: d.Pool}.Between(t.Context(), c.tenant, c.at, staff.ID{}, c.from, c.until, 10)
		if err != nil || len(found) != 0 {
			t.Errorf("%s: found %v, error %v", name, found, err)
		}
	}
}

func TestBoardShowsCurrentCallIns(t *testing.T) {
	t.Parallel()
	line := func(id *site.RoomID, name string, at time.Time) []projections.CallIn {
		return []projections.CallIn{{
			Appointment: subject.Appointment, Patient: ann, Called: "Ann Archer", Site: main, SiteName: "Elm Street", Room: id, RoomName: name, At: at,
		}}
	}
	for name, c := range map[string]struct {
		history []event.Event
		since   time.Time
		want    []projections.CallIn
	}{
		"no one is called in":    {[]event.Event{booked}, noon, nil},
		"into a room":            {[]event.Event{booked, calledIn}, noon, line(&room, "Room 1", calledIn.CalledInAt)},
		"then without one":       {[]event.Event{booked, calledIn, noRoom}, noon, line(nil, "", noRoom.CalledInAt)},
		"cleared":                {[]event.Event{booked, calledIn, removed}, noon, nil},
		"called in another time": {[]event.Event{booked, calledIn, removed, noRoom}, noon, line(nil, "", noRoom.CalledInAt)},
		"called in yesterday":    {[]event.Event{booked, calledIn}, noon.Add(12 * time.Hour), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := peopled(t)
			d.happened(t.Context(), t, elm, subject.Appointment.UUID, 0, c.history...)
			board := projections.CallIns{DB: d.Pool, Names: projections.Names{DB: d.Pool, Opens: d.Keys}}
			got, err := board.Current(t.Context(), elm, main, display.FullName, c.since, 12)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("board (-want +got):\n%s", diff)
			}
		})
	}
}
