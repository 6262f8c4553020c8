package commands

import (
	"context"
	"time"

	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
)

// BookAppointment books an appointment for a patient at a site.
type BookAppointment struct {
	Tenant  string
	Patient patient.ID
	Site    site.ID
	At      time.Time
}

// BookAppointment returns the identifier of the new appointment. It refuses a patient
// of another practice with patient.ErrUnknown, and then a site of another practice with
// site.ErrUnknown.
func (d Desk) BookAppointment(ctx context.Context, c BookAppointment) (appointment.ID, error) {
	if err := d.knowPatient(ctx, c.Tenant, c.Patient); err != nil {
		return appointment.ID{}, err
	}
	if err := d.knowSite(ctx, c.Tenant, c.Site); err != nil {
		return appointment.ID{}, err
	}
	id := appointment.ID{UUID: event.NewID()}
	events, err := appointment.Book(appointment.Subject{Appointment: id, Patient: c.Patient, Site: c.Site}, c.At)
	if err != nil {
		return appointment.ID{}, err
	}
	return id, d.begin(ctx, appointment.StreamOf(c.Tenant, id), events...)
}

// CallInPatient calls an appointment's patient in from the waiting room.
type CallInPatient struct {
	Tenant      string
	Appointment appointment.ID
	Room        site.RoomID // zero if none is assigned
}

// CallInPatient changes nothing if the patient is called into the same room already.
func (d Desk) CallInPatient(ctx context.Context, c CallInPatient) error {
	room, err := d.room(ctx, c.Tenant, c.Room)
	if err != nil {
		return err
	}
	return d.appointment(ctx, c.Tenant, c.Appointment, func(a appointment.Appointment) ([]event.Event, error) {
		return a.CallIn(c.Room, room, d.Now())
	})
}

// ClearCallIn takes an appointment's call-in back, by hand.
type ClearCallIn struct {
	Tenant      string
	Appointment appointment.ID
}

// ClearCallIn changes nothing if the patient is not called in.
func (d Desk) ClearCallIn(ctx context.Context, c ClearCallIn) error {
	return d.appointment(ctx, c.Tenant, c.Appointment, func(a appointment.Appointment) ([]event.Event, error) {
		return a.ClearCallIn(d.Now())
	})
}

// MarkDidNotAttend records that an appointment's patient did not attend, which also
// ends a call-in.
type MarkDidNotAttend struct {
	Tenant      string
	Appointment appointment.ID
}

// MarkDidNotAttend changes nothing if the appointment is marked already.
func (d Desk) MarkDidNotAttend(ctx context.Context, c MarkDidNotAttend) error {
	return d.appointment(ctx, c.Tenant, c.Appointment, func(a appointment.Appointment) ([]event.Event, error) {
		return a.MarkDidNotAttend(d.Now())
	})
}

// appointment has a decision taken about an appointment, and appends it.
func (d Desk) appointment(ctx context.Context, tenant string, id appointment.ID,
	decide func(appointment.Appointment) ([]event.Event, error),
) error {
	return Update(ctx, d.Store, appointment.StreamOf(tenant, id), decide)
}

// room returns the state of a room, and the zero state if none is named.
func (d Desk) room(ctx context.Context, tenant string, id site.RoomID) (site.Room, error) {
	if id == (site.RoomID{}) {
		return site.Room{}, nil
	}
	return Load[site.Room](ctx, d.Store, site.RoomStreamOf(tenant, id))
}
