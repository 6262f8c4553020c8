package consultation_test

import (
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/appointment"
	"frontdesk/domain/consultation"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/patient"
)

var started = consultation.Started{
	Consultation: consultation.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000f1")},
	Patient:      patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a1")},
	Appointment:  appointment.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000e1")},
}

func TestStartConsultation(t *testing.T) {
	t.Parallel()
	events := consultation.Start(started.Consultation, started.Patient, started.Appointment)
	eventtest.Decided(events, nil).Then(t, started)
}

func TestStoredEvents(t *testing.T) {
	t.Parallel()
	eventtest.Golden(t, started)
}
