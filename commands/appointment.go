package commands

import (
	"context"
	"time"

	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
)

// BookAppointment books an appointment for a patient at a site.
type BookAppointment struct {
	Tenant  string
	Patient patient.ID
	Site    site.ID
	At      time.Time
	Plan    appointment.Plan
	Once    string // names this one booking, so that repeating it makes no second one; "" if it is sent once
}

// ID returns the identifier of the appointment, if the intent has Once.
func (c BookAppointment) ID() appointment.ID {
	return appointment.ID{UUID: newID("appointment", c.Once, c.Tenant)}
}

// BookAppointment returns the identifier of the new appointment. It refuses a patient
// of another practice with patient.ErrUnknown, then a site of another practice with
// site.ErrUnknown, and then a clinician who is none with appointment.ErrNoClinician.
func (d Desk) BookAppointment(ctx context.Context, c BookAppointment) (appointment.ID, error) {
	if err := d.knowPatient(ctx, c.Tenant, c.Patient); err != nil {
		return appointment.ID{}, err
	}
	if err := d.knowSite(ctx, c.Tenant, c.Site); err != nil {
		return appointment.ID{}, err
	}
	if err := d.knowClinician(ctx, c.Tenant, c.Plan.Clinician); err != nil {
		return appointment.ID{}, err
	}
	s := appointment.Subject{Appointment: c.ID(), Patient: c.Patient, Site: c.Site}
	if c.Once == "" {
		return s.Appointment, d.bookNew(ctx, s, c)
	}
	return s.Appointment, d.appointment(ctx, c.Tenant, s.Appointment, 0, func(a appointment.Appointment) ([]event.Event, error) {
		return a.Book(s, c.At, c.Plan)
	})
}

func (d Desk) bookNew(ctx context.Context, s appointment.Subject, c BookAppointment) error {
	events, err := appointment.Appointment{}.Book(s, c.At, c.Plan)
	if err != nil {
		return err
	}
	return d.begin(ctx, appointment.StreamOf(c.Tenant, s.Appointment), events...)
}

// knowClinician refuses with appointment.ErrNoClinician unless the practice has this
// clinician. Zero is no one in particular.
func (d Desk) knowClinician(ctx context.Context, tenant string, id staff.ID) error {
	if id == (staff.ID{}) {
		return nil
	}
	member, err := Load[staff.Member](ctx, d.Store, staff.StreamOf(tenant, id))
	if err == nil && !member.IsClinician() {
		err = appointment.ErrNoClinician
	}
	return err
}

// MoveAppointment moves an appointment to another time, site or clinician, and may change
// its length and its kind.
type MoveAppointment struct {
	Tenant      string
	Appointment appointment.ID
	Site        site.ID // zero for its current site
	At          time.Time
	Plan        *appointment.Plan // nil for its current plan
	Seen        int               // see [Version]; 0 for no check
}

// MoveAppointment changes nothing if time, site and plan are the same. It refuses a site
// of another practice with site.ErrUnknown, and then a clinician who is none with
// appointment.ErrNoClinician.
func (d Desk) MoveAppointment(ctx context.Context, c MoveAppointment) error {
	if c.Site != (site.ID{}) {
		if err := d.knowSite(ctx, c.Tenant, c.Site); err != nil {
			return err
		}
	}
	return d.appointment(ctx, c.Tenant, c.Appointment, c.Seen, func(a appointment.Appointment) ([]event.Event, error) {
		if c.Plan != nil && !a.IsWith(c.Plan.Clinician) {
			if err := d.knowClinician(ctx, c.Tenant, c.Plan.Clinician); err != nil {
				return nil, err
			}
		}
		return a.Move(appointment.Slot{Site: c.Site, At: c.At}, c.Plan, d.Now())
	})
}

// CancelAppointment cancels an appointment.
type CancelAppointment struct {
	Tenant      string
	Appointment appointment.ID
	Seen        int // see [Version]; 0 for no check
}

// CancelAppointment changes nothing if the appointment is cancelled already.
func (d Desk) CancelAppointment(ctx context.Context, c CancelAppointment) error {
	return d.appointment(ctx, c.Tenant, c.Appointment, c.Seen, func(a appointment.Appointment) ([]event.Event, error) {
		return a.Cancel(d.Now())
	})
}

// MarkArrived records that an appointment's patient has arrived.
type MarkArrived struct {
	Tenant      string
	Appointment appointment.ID
	Seen        int // see [Version]; 0 for no check
}

// MarkArrived changes nothing if the patient has arrived already.
func (d Desk) MarkArrived(ctx context.Context, c MarkArrived) error {
	return d.appointment(ctx, c.Tenant, c.Appointment, c.Seen, func(a appointment.Appointment) ([]event.Event, error) {
		return a.MarkArrived(memberOf(ctx), d.Now())
	})
}

// CallInPatient calls an appointment's patient in from the waiting room.
type CallInPatient struct {
	Tenant      string
	Appointment appointment.ID
	Room        site.RoomID // zero if none is assigned
	Seen        int         // see [Version]; 0 for no check
}

// CallInPatient changes nothing if the patient is called into the same room already.
func (d Desk) CallInPatient(ctx context.Context, c CallInPatient) error {
	room, err := d.room(ctx, c.Tenant, c.Room)
	if err != nil {
		return err
	}
	return d.appointment(ctx, c.Tenant, c.Appointment, c.Seen, func(a appointment.Appointment) ([]event.Event, error) {
		return a.CallIn(c.Room, room, memberOf(ctx), d.Now())
	})
}

// ClearCallIn removes an appointment's call-in, by hand.
type ClearCallIn struct {
	Tenant      string
	Appointment appointment.ID
	Seen        int // see [Version]; 0 for no check
}

// ClearCallIn changes nothing if the patient is not called in.
func (d Desk) ClearCallIn(ctx context.Context, c ClearCallIn) error {
	return d.appointment(ctx, c.Tenant, c.Appointment, c.Seen, func(a appointment.Appointment) ([]event.Event, error) {
		return a.ClearCallIn(d.Now())
	})
}

// MarkDidNotAttend records that an appointment's patient did not attend, which also
// ends a call-in.
type MarkDidNotAttend struct {
	Tenant      string
	Appointment appointment.ID
	Seen        int // see [Version]; 0 for no check
}

// MarkDidNotAttend changes nothing if the appointment is marked already.
func (d Desk) MarkDidNotAttend(ctx context.Context, c MarkDidNotAttend) error {
	return d.appointment(ctx, c.Tenant, c.Appointment, c.Seen, func(a appointment.Appointment) ([]event.Event, error) {
		return a.MarkDidNotAttend(memberOf(ctx), d.Now())
	})
}

// UndoAppointmentStep undoes an arrival, a call-in or a mark of not attending.
type UndoAppointmentStep struct {
	Tenant      string
	Appointment appointment.ID
	Seen        int // see [Version]; 0 for no check
}

// UndoAppointmentStep refuses unless the last step is that of the member of staff who
// acts, and is recent.
func (d Desk) UndoAppointmentStep(ctx context.Context, c UndoAppointmentStep) error {
	return d.appointment(ctx, c.Tenant, c.Appointment, c.Seen, func(a appointment.Appointment) ([]event.Event, error) {
		return a.Undo(memberOf(ctx), d.Now())
	})
}

// memberOf returns the member of staff who acts; zero without one.
func memberOf(ctx context.Context) staff.ID {
	return staff.ID{UUID: event.MetadataFrom(ctx).Actor.Member()}
}

// appointment takes a decision about an appointment, and appends it. If the caller has
// seen an older state, it refuses with appointment.ErrChanged.
func (d Desk) appointment(ctx context.Context, tenant string, id appointment.ID, events int,
	decide func(appointment.Appointment) ([]event.Event, error),
) error {
	return Update(ctx, d.Store, appointment.StreamOf(tenant, id), ifUnchanged(events, appointment.ErrChanged, decide))
}

// room returns the state of a room, and the zero state if none is named.
func (d Desk) room(ctx context.Context, tenant string, id site.RoomID) (site.Room, error) {
	if id == (site.RoomID{}) {
		return site.Room{}, nil
	}
	return Load[site.Room](ctx, d.Store, site.RoomStreamOf(tenant, id))
}
