package commands_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/appointment"
	"frontdesk/domain/consultation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
)

// aDay is a practice with a patient, a site, a room and an appointment, and another
// practice.
type aDay struct {
	*commandtest.Store
	bookings    commands.Desk
	patient     patient.ID
	site        site.ID
	room        site.RoomID
	appointment appointment.ID
}

func noon() time.Time { return commandtest.Noon }

func startDay(t *testing.T) *aDay {
	t.Helper()
	d := &aDay{Store: commandtest.NewStore()}
	d.bookings = commands.Desk{Store: d, Patients: d}
	for _, tenant := range []string{elm, oak} {
		must(t, commands.Desk{Store: d}.RegisterPractice(t.Context(), commands.RegisterPractice{Tenant: tenant, Name: tenant}))
	}
	d.patient = d.register(t, elm, "Ann Archer")
	d.site = made[site.ID](t)(commands.Desk{Store: d}.AddSite(t.Context(), commands.AddSite{Tenant: elm, Name: "Main"}))
	d.room = made[site.RoomID](t)(commands.Desk{Store: d}.AddRoom(t.Context(),
		commands.AddRoom{Tenant: elm, Site: d.site, Name: "Room 1"}))
	d.appointment = made[appointment.ID](t)(d.bookings.BookAppointment(t.Context(),
		commands.BookAppointment{Tenant: elm, Patient: d.patient, Site: d.site, At: noon()}))
	return d
}

func (d *aDay) register(t *testing.T, tenant, name string) patient.ID {
	t.Helper()
	return made[patient.ID](t)(commands.Desk{Store: d, Now: noon}.RegisterPatient(t.Context(),
		commands.RegisterPatient{Tenant: tenant, Name: name}))
}

func (d *aDay) callIn(ctx context.Context, tenant string, room site.RoomID) error {
	return commands.Desk{Store: d, Now: noon}.CallInPatient(ctx,
		commands.CallInPatient{Tenant: tenant, Appointment: d.appointment, Room: room})
}

func (d *aDay) start(ctx context.Context, c commands.StartConsultation) (consultation.ID, error) {
	return commands.Desk{Store: d, Patients: d, Now: noon}.StartConsultation(ctx, c)
}

func (d *aDay) subject() appointment.Subject {
	return appointment.Subject{Appointment: d.appointment, Patient: d.patient, Site: d.site}
}

// since returns the events after the first n.
func (d *aDay) since(n int) []event.Event {
	var events []event.Event
	for _, e := range d.Log()[n:] {
		events = append(events, e.Event)
	}
	return events
}

func (d *aDay) wantSince(t *testing.T, n int, want ...event.Event) {
	t.Helper()
	if diff := cmp.Diff(want, d.since(n)); diff != "" {
		t.Errorf("appended (-want +got):\n%s", diff)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func made[ID any](t *testing.T) func(ID, error) ID {
	return func(id ID, err error) ID {
		t.Helper()
		must(t, err)
		return id
	}
}

func wantRefusal(t *testing.T, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("error = %v, want %v", got, want)
	}
}
