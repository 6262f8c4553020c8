package commands

import (
	"context"

	"frontdesk/domain/appointment"
	"frontdesk/domain/consultation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// StartConsultation begins a consultation with a patient, which ends the call-in of its
// appointment.
type StartConsultation struct {
	Tenant      string
	Patient     patient.ID
	Appointment appointment.ID // zero without one
	Seen        int            // of the appointment: see [Version]; 0 for no check
	First       bool           // refuse if the appointment had a consultation before
}

// StartConsultation returns the identifier of the new consultation. It refuses a
// patient of another practice with patient.ErrUnknown, and then an appointment of
// another practice or patient with appointment.ErrUnknown. If First is set and another
// consultation was faster, it refuses with appointment.ErrAttended.
//
// The consultation and the end of its call-in are appended together, so that readers
// never see one without the other.
func (d Desk) StartConsultation(ctx context.Context, c StartConsultation) (consultation.ID, error) {
	if err := d.knowPatient(ctx, c.Tenant, c.Patient); err != nil {
		return consultation.ID{}, err
	}
	id := consultation.ID{UUID: event.NewID()}
	events := consultation.Start(id, c.Patient, c.Appointment)
	if c.Appointment == (appointment.ID{}) {
		return id, d.begin(ctx, consultation.StreamOf(c.Tenant, id), events...)
	}
	started := event.Change{Stream: consultation.StreamOf(c.Tenant, id), Events: events}
	attend := ifUnchanged(c.Seen, appointment.ErrChanged, func(a appointment.Appointment) ([]event.Event, error) {
		if err := a.Ahead(); c.First && err != nil {
			return nil, err
		}
		return a.Attend(c.Patient, d.Now())
	})
	booked := event.Change{Stream: appointment.StreamOf(c.Tenant, c.Appointment)}
	return id, update(ctx, d.Store, booked, attend, started)
}
