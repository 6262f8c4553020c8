package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/appointment"
	"frontdesk/domain/consultation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// StartConsultation begins an encounter with a patient, which ends the call-in
// of its appointment (§6.1).
type StartConsultation struct {
	Tenant      string
	Patient     patient.ID
	Appointment appointment.ID // zero: without an appointment
}

// StartConsultationHandler handles [StartConsultation].
type StartConsultationHandler struct {
	Store    Store
	Patients Patients
	Now      Clock
}

// Handle starts the consultation and returns the identifier minted for it, or
// the rule that refuses it: patient.ErrUnknown, then appointment.ErrUnknown
// for an appointment of nobody, of another practice or of another patient.
func (h StartConsultationHandler) Handle(ctx context.Context, c StartConsultation) (consultation.ID, error) {
	id := consultation.ID{UUID: event.NewID()}
	err := knowPatient(ctx, h.Patients, c.Tenant, c.Patient)
	if err == nil {
		err = h.start(ctx, id, c)
	}
	if err != nil {
		return consultation.ID{}, fmt.Errorf("start consultation: %w", err)
	}
	return id, nil
}

// start appends the consultation and the end of its call-in together: neither
// is ever seen without the other.
func (h StartConsultationHandler) start(ctx context.Context, id consultation.ID, c StartConsultation) error {
	events, err := consultation.Consultation{}.Start(id, c.Patient, c.Appointment)
	if err != nil {
		return err
	}
	started := event.Change{Stream: consultation.StreamOf(c.Tenant, id), Events: events}
	if c.Appointment == (appointment.ID{}) {
		_, err := h.Store.Append(ctx, started)
		return err
	}
	stream := appointment.StreamOf(c.Tenant, c.Appointment)
	return UpdateWith(ctx, h.Store, stream, func(a appointment.Appointment) ([]event.Event, error) {
		return a.Attend(c.Patient, h.Now())
	}, started)
}
