package appointment_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
)

type (
	anAppointment = appointment.Appointment
	events        = []event.Event
)

var (
	ann     = patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a1")}
	bill    = patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a2")}
	main    = site.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000c1")}
	branch  = site.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000c2")}
	room    = site.RoomID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000d1")}
	another = site.RoomID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000d2")}
	noRoom  = site.RoomID{}

	noon = time.Date(2026, 3, 2, 12, 0, 0, 345_000_000, time.UTC)

	subject = appointment.Subject{
		Appointment: appointment.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000e1")},
		Patient:     ann, Site: main,
	}
	booked       = appointment.Booked{Subject: subject, At: noon.Add(-time.Hour)}
	kim          = staff.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000f1")}
	calledIn     = appointment.CalledIn{Subject: subject, Room: room, CalledInAt: noon, By: kim}
	didNotAttend = appointment.DidNotAttend{Subject: subject, MarkedAt: noon, By: kim}
	attended     = appointment.Attended{Subject: subject}
	arrived      = appointment.Arrived{Subject: subject, ArrivedAt: noon, By: kim}
	cancelled    = appointment.Cancelled{Subject: subject}
	later        = appointment.Slot{Site: main, At: noon.Add(3 * time.Hour)}
	moved        = appointment.Moved{Subject: subject, At: later.At}
)

func book(at time.Time) func(anAppointment) (events, error) {
	return func(a anAppointment) (events, error) { return a.Book(subject, at, appointment.Plan{}) }
}

func move(to appointment.Slot) func(anAppointment) (events, error) {
	return func(a anAppointment) (events, error) { return a.Move(to, nil, noon) }
}

func cancel(a anAppointment) (events, error) { return a.Cancel(noon) }
func markArrived(a anAppointment) (events, error) {
	return a.MarkArrived(kim, noon.Add(999*time.Microsecond))
}

// callIn calls into a room that is at a site; a zero site means an unknown room.
func callIn(id site.RoomID, at site.ID) func(anAppointment) (events, error) {
	var known site.Room
	if at != (site.ID{}) {
		known = event.Fold[site.Room](site.RoomAdded{Room: id, Site: at})
	}
	return func(a anAppointment) (events, error) { return a.CallIn(id, known, kim, noon.Add(999*time.Microsecond)) }
}

func clearCallIn(a anAppointment) (events, error)      { return a.ClearCallIn(noon) }
func markDidNotAttend(a anAppointment) (events, error) { return a.MarkDidNotAttend(kim, noon) }

func attend(about patient.ID) func(anAppointment) (events, error) {
	return func(a anAppointment) (events, error) { return a.Attend(about, noon) }
}

func removed(why appointment.Reason) appointment.CallInRemoved {
	return appointment.CallInRemoved{Subject: subject, Reason: why, RemovedAt: noon}
}

func TestAnAppointmentIsBookedAtAnInstant(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[anAppointment]
	given().When(book(booked.At.In(time.FixedZone("", 3600)))).Then(t, booked)
	given().When(book(time.Time{})).Refuses(t, appointment.ErrTimeless)
	given().When(book(time.Date(9999, 12, 31, 23, 59, 0, 0, time.FixedZone("", -3600)))).Refuses(t, appointment.ErrInvalidTime)
	given().When(book(time.Date(0, 1, 1, 0, 0, 0, 0, time.FixedZone("", 3600)))).Refuses(t, appointment.ErrInvalidTime)
}

func TestTheSameBookingIsMadeOnce_D86(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[anAppointment]
	given(booked).When(book(booked.At)).Then(t)
	given(booked).When(book(booked.At.Add(time.Minute))).Refuses(t, appointment.ErrBooked)
	given(booked, moved).When(book(booked.At)).Refuses(t, appointment.ErrBooked)
	given(booked, cancelled).When(book(booked.At)).Refuses(t, appointment.ErrBooked)
	theirs := booked
	theirs.Patient = bill
	given(theirs).When(book(booked.At)).Refuses(t, appointment.ErrBooked)
}

func TestCallingInShowsAgainInAnotherRoomOnly_D33(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[anAppointment]
	inAnother := appointment.CalledIn{Subject: subject, Room: another, CalledInAt: noon, By: kim}
	inNone := appointment.CalledIn{Subject: subject, CalledInAt: noon, By: kim}

	given(booked).When(callIn(room, main)).Then(t, calledIn)
	given(booked, calledIn).When(callIn(room, main)).Then(t)
	given(booked, calledIn).When(callIn(another, main)).Then(t, inAnother)
	given(booked, calledIn).When(callIn(noRoom, site.ID{})).Then(t, inNone)
	given(booked).When(callIn(noRoom, site.ID{})).Then(t, inNone)
	given(booked, inNone).When(callIn(noRoom, site.ID{})).Then(t)
	given(booked, calledIn, inAnother).When(callIn(room, main)).Then(t, calledIn)
}

func TestCallingInAfterACallInEndedShowsAgain(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[anAppointment]

	given(booked, calledIn, removed(appointment.Cleared)).When(callIn(room, main)).Then(t, calledIn)
	given(booked, didNotAttend).When(callIn(room, main)).Then(t, calledIn)
	given(booked, attended).When(callIn(room, main)).Then(t, calledIn)
}

func TestARoomMustBeAtTheAppointmentsSite(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[anAppointment]

	given(booked).When(callIn(room, branch)).Refuses(t, site.ErrRoomUnknown)
	given(booked).When(callIn(room, site.ID{})).Refuses(t, site.ErrRoomUnknown)
	given(booked, calledIn).When(callIn(room, branch)).Refuses(t, site.ErrRoomUnknown)
}

func TestACallInIsRemovedOnceForEachReason_6_1(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[anAppointment]

	given(booked, calledIn).When(clearCallIn).Then(t, removed(appointment.Cleared))
	given(booked, calledIn).When(markDidNotAttend).Then(t, didNotAttend, removed(appointment.NotAttended))
	given(booked, calledIn).When(attend(ann)).Then(t, attended, removed(appointment.ConsultationStarted))
	given(booked, calledIn, removed(appointment.Cleared)).When(clearCallIn).Then(t)
	given(booked, calledIn, didNotAttend, removed(appointment.NotAttended)).When(markDidNotAttend).Then(t)
}

func TestWithoutACallInNothingIsRemoved_D33(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[anAppointment]

	given(booked).When(clearCallIn).Then(t)
	given(booked).When(markDidNotAttend).Then(t, didNotAttend)
	given(booked).When(attend(ann)).Then(t, attended)
	given(booked, calledIn, removed(appointment.Cleared)).When(attend(ann)).Then(t, attended)
}

func TestDidNotAttendAgainAfterLateArrival(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[anAppointment]

	given(booked, didNotAttend).When(markDidNotAttend).Then(t)
	given(booked, didNotAttend, calledIn).When(markDidNotAttend).Then(t, didNotAttend, removed(appointment.NotAttended))
	given(booked, didNotAttend, attended).When(markDidNotAttend).Then(t, didNotAttend)
}

func TestConsultationNeedsSamePatient(t *testing.T) {
	t.Parallel()
	eventtest.Given[anAppointment](booked, calledIn).When(attend(bill)).Refuses(t, appointment.ErrUnknown)
}

func TestAnUnknownAppointmentIsRefused_D18(t *testing.T) {
	t.Parallel()
	for name, decide := range map[string]func(anAppointment) (events, error){
		"call in": callIn(room, main), "clear": clearCallIn, "did not attend": markDidNotAttend, "attend": attend(ann),
		"attend, no patient": attend(patient.ID{}), "arrive": markArrived, "move": move(later), "cancel": cancel,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eventtest.Given[anAppointment]().When(decide).Refuses(t, appointment.ErrUnknown)
		})
	}
}

func TestAPatientArrivesOnce(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[anAppointment]
	given(booked).When(markArrived).Then(t, arrived)
	given(booked, arrived).When(markArrived).Then(t)
	given(booked, arrived, calledIn).When(markArrived).Then(t)
	given(booked, calledIn).When(markArrived).Then(t, arrived)
	given(booked, attended).When(markArrived).Then(t)
	given(booked, didNotAttend).When(markArrived).Then(t, arrived)
	given(booked, arrived).When(markDidNotAttend).Then(t, didNotAttend)
	given(booked, arrived, didNotAttend).When(markArrived).Then(t, arrived)
	given(booked, didNotAttend, arrived).When(markDidNotAttend).Then(t, didNotAttend)
}

func TestMovedAppointmentExpectsPatient_D86(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[anAppointment]
	away := appointment.Moved{Subject: subject, From: main, At: later.At}
	away.Site = branch
	back := appointment.Moved{Subject: subject, From: branch, At: booked.At}

	given(booked).When(move(later)).Then(t, moved)
	given(booked).When(move(appointment.Slot{Site: main, At: booked.At})).Then(t)
	given(booked, moved).When(move(later)).Then(t)
	given(booked, moved).When(move(appointment.Slot{At: later.At})).Then(t)
	given(booked).When(move(appointment.Slot{At: later.At})).Then(t, moved)
	given(booked).When(move(appointment.Slot{Site: branch, At: later.At})).Then(t, away)
	given(booked, away).When(move(appointment.Slot{Site: main, At: booked.At})).Then(t, back)
	given(booked, away).When(callIn(room, main)).Refuses(t, site.ErrRoomUnknown)
	given(booked, calledIn).When(move(later)).Then(t, removed(appointment.Cleared), moved)
	given(booked, arrived, moved).When(markArrived).Then(t, arrived)
	given(booked, didNotAttend, moved).When(markDidNotAttend).Then(t, didNotAttend)
	given(booked).When(move(appointment.Slot{Site: main})).Refuses(t, appointment.ErrTimeless)
	given(booked, attended).When(move(later)).Refuses(t, appointment.ErrAttended)
}

func TestCancelledAppointmentIsFinal_D86(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[anAppointment]
	given(booked).When(cancel).Then(t, cancelled)
	given(booked, didNotAttend).When(cancel).Then(t, cancelled)
	given(booked, calledIn).When(cancel).Then(t, removed(appointment.Cleared), cancelled)
	given(booked, attended).When(cancel).Refuses(t, appointment.ErrAttended)
	given(booked, cancelled).When(cancel).Then(t)
	for name, decide := range map[string]func(anAppointment) (events, error){
		"call in": callIn(room, main), "clear": clearCallIn, "did not attend": markDidNotAttend, "attend": attend(ann),
		"arrive": markArrived, "move": move(later),
	} {
		_, err := decide(event.Fold[anAppointment](booked, cancelled))
		if !errors.Is(err, appointment.ErrCancelled) || err.Error() != appointment.ErrCancelled.Error() {
			t.Errorf("%s: %v, want %v", name, err, appointment.ErrCancelled)
		}
	}
}

func TestStoredEvents(t *testing.T) {
	t.Parallel()
	eventtest.Golden(t, booked, appointment.Moved{Subject: subject, From: branch, At: later.At}, cancelled, arrived, calledIn, removed(appointment.ConsultationStarted), didNotAttend, attended,
		appointment.ArrivalCleared{Subject: subject, DidNotAttend: true}, appointment.DidNotAttendCleared{Subject: subject, ArrivedAt: noon}, appointment.Planned{Subject: subject, Plan: plan})
	eventtest.GoldenIn(t, "testdata/planned", appointment.Booked{Subject: subject, At: booked.At, Plan: plan})
	withoutRoom, err := event.NewCodec(appointment.CalledIn{})
	if err != nil {
		t.Fatal(err)
	}
	_, data, err := withoutRoom.Encode(appointment.CalledIn{Subject: subject, CalledInAt: noon})
	if want := `{"appointment":"0190c7a2-0000-7000-8000-0000000000e1","patient":"0190c7a2-0000-7000-8000-0000000000a1",` +
		`"site":"0190c7a2-0000-7000-8000-0000000000c1","calledInAt":"2026-03-02T12:00:00.345Z"}`; err != nil || string(data) != want {
		t.Errorf("stored without a room as %s, error %v", data, err)
	}
}

func TestAnAppointmentHasANumberThatStays_D88(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"0190c7a2-0000-7000-8000-0000000000a1": "775 969",
		"0190c7a2-0000-7000-8000-0000000000a2": "775 970",
		"0190ffff-ffff-7fff-8000-0000000000a2": "775 970", // independent of the time of booking
	} {
		if got := (appointment.ID{UUID: uuid.MustParse(id)}).Number(); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}
