package commands

import (
	"context"
	"fmt"
	"time"

	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
)

// BookAppointment expects a patient at a site.
type BookAppointment struct {
	Tenant  string
	Patient patient.ID
	Site    site.ID
	At      time.Time
}

// BookAppointmentHandler handles [BookAppointment].
type BookAppointmentHandler struct {
	Store    Store
	Patients Patients
}

// Handle books the appointment and returns the identifier minted for it, or
// the rule that refuses it: patient.ErrUnknown or site.ErrUnknown for those of
// nobody or of another practice (D18), in this order.
func (h BookAppointmentHandler) Handle(ctx context.Context, c BookAppointment) (appointment.ID, error) {
	id := appointment.ID{UUID: event.NewID()}
	err := knowPatient(ctx, h.Patients, c.Tenant, c.Patient)
	if err == nil {
		err = knowSite(ctx, h.Store, c.Tenant, c.Site)
	}
	if err == nil {
		err = Update(ctx, h.Store, appointment.StreamOf(c.Tenant, id), func(a appointment.Appointment) ([]event.Event, error) {
			return a.Book(appointment.Subject{Appointment: id, Patient: c.Patient, Site: c.Site}, c.At)
		})
	}
	if err != nil {
		return appointment.ID{}, fmt.Errorf("book appointment: %w", err)
	}
	return id, nil
}

// Patients knows the patients of each practice.
type Patients interface {
	// PatientExists reports whether the practice has the patient (D18).
	PatientExists(ctx context.Context, tenant string, id patient.ID) (bool, error)
}

// knowPatient refuses unless the practice has the patient (D18).
func knowPatient(ctx context.Context, patients Patients, tenant string, id patient.ID) error {
	exists, err := patients.PatientExists(ctx, tenant, id)
	if err == nil && !exists {
		err = patient.ErrUnknown
	}
	return err
}
