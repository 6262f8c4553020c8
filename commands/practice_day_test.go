package commands_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
)

const (
	elm = "elm-street"
	oak = "oak-lane"
)

func TestADayIsSetUpWithinThePractice(t *testing.T) {
	t.Parallel()
	d := startDay(t)
	d.wantSince(t, 3,
		site.Added{Site: d.site, Name: "Main"},
		site.RoomAdded{Room: d.room, Site: d.site, Name: "Room 1"},
		appointment.Booked{Subject: d.subject(), At: noon()})
	if tenant := d.Log()[3].Stream.Tenant; tenant != elm {
		t.Errorf("the site belongs to %q", tenant)
	}
}

func TestOtherPracticesDataIsUnknown_D18(t *testing.T) {
	t.Parallel()
	d := startDay(t)
	theirs := d.register(t, oak, "Olive Oaks")
	theirSite := made[site.ID](t)(commands.Desk{Store: d}.AddSite(t.Context(), commands.AddSite{Tenant: oak, Name: "Oak"}))
	before := len(d.Log())

	_, err := commands.Desk{Store: d}.AddSite(t.Context(), commands.AddSite{Tenant: "nobody", Name: "Main"})
	wantRefusal(t, err, practice.ErrUnknown)
	_, err = commands.Desk{Store: d}.AddRoom(t.Context(), commands.AddRoom{Tenant: oak, Site: d.site, Name: "Room 1"})
	wantRefusal(t, err, site.ErrUnknown)
	_, err = d.bookings.BookAppointment(t.Context(), commands.BookAppointment{Tenant: oak, Patient: d.patient, Site: d.site, At: noon()})
	wantRefusal(t, err, patient.ErrUnknown)
	_, err = d.bookings.BookAppointment(t.Context(), commands.BookAppointment{Tenant: oak, Patient: theirs, Site: d.site, At: noon()})
	wantRefusal(t, err, site.ErrUnknown)
	_, err = d.bookings.BookAppointment(t.Context(), commands.BookAppointment{Tenant: elm, Patient: d.patient, Site: theirSite, At: noon()})
	wantRefusal(t, err, site.ErrUnknown)
	wantRefusal(t, d.callIn(t.Context(), oak, d.room), appointment.ErrUnknown)
	wantRefusal(t, commands.Desk{Store: d, Now: noon}.ClearCallIn(t.Context(),
		commands.ClearCallIn{Tenant: oak, Appointment: d.appointment}), appointment.ErrUnknown)
	wantRefusal(t, commands.Desk{Store: d, Now: noon}.MarkDidNotAttend(t.Context(),
		commands.MarkDidNotAttend{Tenant: oak, Appointment: d.appointment}), appointment.ErrUnknown)
	_, err = d.start(t.Context(), commands.StartConsultation{Tenant: oak, Patient: d.patient})
	wantRefusal(t, err, patient.ErrUnknown)
	_, err = d.start(t.Context(), commands.StartConsultation{Tenant: oak, Patient: theirs, Appointment: d.appointment})
	wantRefusal(t, err, appointment.ErrUnknown)
	wantRefusal(t, commands.Desk{Store: d, Patients: d}.OpenCareRecord(t.Context(),
		commands.OpenCareRecord{Tenant: oak, Patient: d.patient}), patient.ErrUnknown)
	_, err = commands.Desk{Store: d, Patients: d}.CreateNote(t.Context(),
		commands.CreateNote{Tenant: oak, Patient: d.patient, Text: "a cough"})
	wantRefusal(t, err, patient.ErrUnknown)

	d.wantSince(t, before)
}

func TestAPatientIsCalledIntoARoomOfTheSite(t *testing.T) {
	t.Parallel()
	d := startDay(t)
	elsewhere := made[site.ID](t)(commands.Desk{Store: d}.AddSite(t.Context(), commands.AddSite{Tenant: elm, Name: "Branch"}))
	far := made[site.RoomID](t)(commands.Desk{Store: d}.AddRoom(t.Context(),
		commands.AddRoom{Tenant: elm, Site: elsewhere, Name: "Room 9"}))
	before := len(d.Log())

	wantRefusal(t, d.callIn(t.Context(), elm, far), site.ErrRoomUnknown)
	wantRefusal(t, d.callIn(t.Context(), elm, site.RoomID{UUID: uuid.New()}), site.ErrRoomUnknown)
	must(t, d.callIn(t.Context(), elm, d.room))
	must(t, d.callIn(t.Context(), elm, d.room))
	must(t, d.callIn(t.Context(), elm, site.RoomID{}))

	d.wantSince(t, before,
		appointment.CalledIn{Subject: d.subject(), Room: d.room, CalledInAt: noon()},
		appointment.CalledIn{Subject: d.subject(), CalledInAt: noon()})
}

func TestACallInIsClearedAndAPatientMarked(t *testing.T) {
	t.Parallel()
	d := startDay(t)
	must(t, d.callIn(t.Context(), elm, d.room))
	before := len(d.Log())

	must(t, commands.Desk{Store: d, Now: noon}.ClearCallIn(t.Context(),
		commands.ClearCallIn{Tenant: elm, Appointment: d.appointment}))
	must(t, commands.Desk{Store: d, Now: noon}.MarkDidNotAttend(t.Context(),
		commands.MarkDidNotAttend{Tenant: elm, Appointment: d.appointment}))

	d.wantSince(t, before,
		appointment.CallInRemoved{Subject: d.subject(), Reason: appointment.Cleared, RemovedAt: noon()},
		appointment.DidNotAttend{Subject: d.subject(), MarkedAt: noon()})
}

func TestAppointmentMovesArrivesAndEnds_D86(t *testing.T) {
	t.Parallel()
	d := startDay(t)
	desk := commands.Desk{Store: d, Patients: d, Now: noon}
	elsewhere := made[site.ID](t)(desk.AddSite(t.Context(), commands.AddSite{Tenant: elm, Name: "Branch"}))
	theirSite := made[site.ID](t)(desk.AddSite(t.Context(), commands.AddSite{Tenant: oak, Name: "Oak"}))
	later, before := noon().Add(time.Hour), len(d.Log())
	seen := made[int](t)(commands.Version(t.Context(), desk.Store, appointment.StreamOf(elm, d.appointment)))
	move := func(to site.ID, seen int) error {
		return desk.MoveAppointment(t.Context(), commands.MoveAppointment{Tenant: elm, Appointment: d.appointment, Site: to, At: later, Seen: seen})
	}

	wantRefusal(t, move(theirSite, seen), site.ErrUnknown)
	must(t, desk.MarkArrived(t.Context(), commands.MarkArrived{Tenant: elm, Appointment: d.appointment, Seen: seen}))
	d.refuseStale(t, seen)
	must(t, move(elsewhere, seen+1))
	d.refuseStale(t, seen+1)
	must(t, desk.CancelAppointment(t.Context(),
		commands.CancelAppointment{Tenant: elm, Appointment: d.appointment, Seen: seen + 2}))

	there := d.subject()
	there.Site = elsewhere
	d.wantSince(t, before,
		appointment.Arrived{Subject: d.subject(), ArrivedAt: noon()},
		appointment.Moved{Subject: there, From: d.site, At: later},
		appointment.Cancelled{Subject: there})
}

// refuseStale checks that every act is refused if the actor saw the appointment before
// it was changed.
func (d *aDay) refuseStale(t *testing.T, seen int) {
	t.Helper()
	desk := commands.Desk{Store: d, Patients: d, Now: noon}
	_, started := d.start(t.Context(), commands.StartConsultation{Tenant: elm, Patient: d.patient, Appointment: d.appointment, Seen: seen})
	for what, err := range map[string]error{
		"move":    desk.MoveAppointment(t.Context(), commands.MoveAppointment{Tenant: elm, Appointment: d.appointment, At: noon(), Seen: seen}),
		"cancel":  desk.CancelAppointment(t.Context(), commands.CancelAppointment{Tenant: elm, Appointment: d.appointment, Seen: seen}),
		"arrive":  desk.MarkArrived(t.Context(), commands.MarkArrived{Tenant: elm, Appointment: d.appointment, Seen: seen}),
		"call in": desk.CallInPatient(t.Context(), commands.CallInPatient{Tenant: elm, Appointment: d.appointment, Seen: seen}),
		"clear":   desk.ClearCallIn(t.Context(), commands.ClearCallIn{Tenant: elm, Appointment: d.appointment, Seen: seen}),
		"absent":  desk.MarkDidNotAttend(t.Context(), commands.MarkDidNotAttend{Tenant: elm, Appointment: d.appointment, Seen: seen}),
		"start":   started,
	} {
		if !errors.Is(err, appointment.ErrChanged) {
			t.Errorf("%s: %v, want %v", what, err, appointment.ErrChanged)
		}
	}
}

func TestABookingThatIsSentTwiceIsMadeOnce_D86(t *testing.T) {
	t.Parallel()
	d := startDay(t)
	before := len(d.Log())
	booking := commands.BookAppointment{Tenant: elm, Patient: d.patient, Site: d.site, At: noon().Add(time.Hour), Once: "lee 1"}
	first := made[appointment.ID](t)(d.bookings.BookAppointment(t.Context(), booking))
	again := made[appointment.ID](t)(d.bookings.BookAppointment(t.Context(), booking))
	if first != again {
		t.Errorf("sent twice, it is both %s and %s", first, again)
	}
	booking.At = noon()
	_, err := d.bookings.BookAppointment(t.Context(), booking)
	wantRefusal(t, err, appointment.ErrBooked)

	subject := d.subject()
	subject.Appointment = first
	d.wantSince(t, before, appointment.Booked{Subject: subject, At: noon().Add(time.Hour)})
}

func TestSitesAndRoomsAreRenamed(t *testing.T) {
	t.Parallel()
	d := startDay(t)
	desk := commands.Desk{Store: d}
	before := len(d.Log())
	must(t, desk.RenameSite(t.Context(), commands.RenameSite{Tenant: elm, Site: d.site, Name: "Elm House"}))
	must(t, desk.RenameRoom(t.Context(), commands.RenameRoom{Tenant: elm, Room: d.room, Name: "Nurse"}))
	wantRefusal(t, desk.RenameSite(t.Context(), commands.RenameSite{Tenant: oak, Site: d.site, Name: "Ours"}), site.ErrUnknown)
	wantRefusal(t, desk.RenameRoom(t.Context(), commands.RenameRoom{Tenant: oak, Room: d.room, Name: "Ours"}), site.ErrRoomUnknown)
	d.wantSince(t, before, site.Renamed{Site: d.site, Name: "Elm House"}, site.RoomRenamed{Room: d.room, Site: d.site, Name: "Nurse"})
}

func TestOnlyClinicianOfPracticeIsPlanned_D163(t *testing.T) {
	t.Parallel()
	d := startDay(t)
	desk := commands.Desk{Store: d, Staff: d, Patients: d, Now: noon}
	member := func(tenant, username string, roles ...staff.Role) staff.ID {
		id := made[staff.ID](t)(desk.RegisterStaff(t.Context(), commands.RegisterStaff{Tenant: tenant, Username: username, Name: "A Member", Email: "a@elm.example"}))
		must(t, desk.SetStaffRoles(t.Context(), commands.SetStaffRoles{Tenant: tenant, Username: username, Roles: roles}))
		return id
	}
	hughes, reed, theirs, left := member(elm, "hughes", staff.Clinician), member(elm, "reed", staff.Receptionist, staff.Manager), member(oak, "oak", staff.Clinician), member(elm, "left", staff.Clinician)
	must(t, desk.DeactivateStaff(t.Context(), commands.DeactivateStaff{Tenant: elm, Username: "left"}))
	before := len(d.Log())
	move := func(with staff.ID) error {
		return desk.MoveAppointment(t.Context(), commands.MoveAppointment{Tenant: elm, Appointment: d.appointment, At: noon(), Plan: &appointment.Plan{Clinician: with}})
	}
	for _, with := range []staff.ID{reed, theirs, left, {UUID: uuid.New()}} {
		_, err := desk.BookAppointment(t.Context(), commands.BookAppointment{Tenant: elm, Patient: d.patient, Site: d.site, At: noon(), Plan: appointment.Plan{Clinician: with}})
		wantRefusal(t, err, appointment.ErrNoClinician)
		wantRefusal(t, move(with), appointment.ErrNoClinician)
	}
	booked := made[appointment.ID](t)(desk.BookAppointment(t.Context(), commands.BookAppointment{
		Tenant: elm, Patient: d.patient, Site: d.site, At: noon(), Plan: appointment.Plan{Clinician: hughes, Minutes: 10}}))
	must(t, move(hughes))
	must(t, desk.SetStaffRoles(t.Context(), commands.SetStaffRoles{Tenant: elm, Username: "hughes"}))
	must(t, desk.MoveAppointment(t.Context(), commands.MoveAppointment{ // they keep the appointment
		Tenant: elm, Appointment: d.appointment, At: noon().Add(time.Hour), Plan: &appointment.Plan{Clinician: hughes}}))

	other := d.subject()
	other.Appointment = booked
	d.wantSince(t, before, appointment.Booked{Subject: other, At: noon(), Plan: appointment.Plan{Clinician: hughes, Minutes: 10}},
		appointment.Planned{Subject: d.subject(), Plan: appointment.Plan{Clinician: hughes}},
		staff.RolesSet{Roles: staff.Roles{}},
		appointment.Moved{Subject: d.subject(), At: noon().Add(time.Hour)})
}
