package commands

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// RegisterPatient makes somebody a patient of a practice.
type RegisterPatient struct {
	Tenant    string
	Patient   patient.ID // zero: one is minted
	Name      string
	BirthDate string // 2006-01-02; "" when unknown
}

// RegisterPatientHandler handles [RegisterPatient].
type RegisterPatientHandler struct{ Store Store }

// Handle registers the patient and returns their identifier.
func (h RegisterPatientHandler) Handle(ctx context.Context, c RegisterPatient) (patient.ID, error) {
	if c.Patient.UUID == uuid.Nil {
		c.Patient.UUID = event.NewID()
	}
	err := knowPractice(ctx, h.Store, c.Tenant)
	if err == nil {
		err = Update(ctx, h.Store, patient.StreamOf(c.Tenant, c.Patient), func(p patient.Patient) ([]event.Event, error) {
			return p.Register(c.Patient, c.Name, c.BirthDate)
		})
	}
	if err != nil {
		return patient.ID{}, fmt.Errorf("register patient: %w", err)
	}
	return c.Patient, nil
}
