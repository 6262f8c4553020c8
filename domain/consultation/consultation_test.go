package consultation_test

import (
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/appointment"
	"frontdesk/domain/consultation"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/patient"
)

var started = consultation.Started{
	Consultation: consultation.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000f1")},
	Patient:      patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a1")},
	Appointment:  appointment.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000e1")},
}

func start(c consultation.Consultation) ([]event.Event, error) {
	return c.Start(started.Consultation, started.Patient, started.Appointment)
}

func TestAConsultationIsStartedOnce(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[consultation.Consultation]

	given().When(start).Then(t, started)
	given(started).When(start).Refuses(t, consultation.ErrExists)
}

func TestStoredEvents(t *testing.T) {
	t.Parallel()
	eventtest.Golden(t, started)
}
