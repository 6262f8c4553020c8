package appointment_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/appointment"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/staff"
)

var bob = staff.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000f2")}

func undo(by staff.ID, after time.Duration) func(anAppointment) (events, error) {
	return func(a anAppointment) (events, error) { return a.Undo(by, noon.Add(after)) }
}

func TestLastStepCanBeUndone_D155(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[anAppointment]
	cleared, came := appointment.ArrivalCleared{Subject: subject}, appointment.DidNotAttendCleared{Subject: subject}
	stillAbsent, stillThere := cleared, came
	stillAbsent.DidNotAttend, stillThere.ArrivedAt = true, noon

	given(booked, arrived).When(undo(kim, 29*time.Second)).Then(t, cleared)
	given(booked, didNotAttend, arrived).When(undo(kim, 0)).Then(t, stillAbsent)
	given(booked, arrived, calledIn).When(undo(kim, 0)).Then(t, removed(appointment.Cleared))
	given(booked, calledIn, arrived).When(undo(kim, 0)).Then(t, cleared)
	given(booked, didNotAttend).When(undo(kim, 0)).Then(t, came)
	given(booked, arrived, didNotAttend).When(undo(kim, 0)).Then(t, stillThere)
	given(booked, calledIn, didNotAttend, removed(appointment.NotAttended)).When(undo(kim, 0)).Then(t, came)
}

func TestUndoIsForOneStepAndPerson_D155(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[anAppointment]
	cleared, unnamed := appointment.ArrivalCleared{Subject: subject}, arrived
	unnamed.By = staff.ID{}

	given(booked, arrived).When(undo(kim, appointment.UndoLimit)).Refuses(t, appointment.ErrUndoTooLate)
	given(booked, arrived).When(undo(bob, 0)).Refuses(t, appointment.ErrUndoOfAnother)
	given(booked, unnamed).When(undo(staff.ID{}, 0)).Refuses(t, appointment.ErrUndoOfAnother)
	given(booked, arrived, cleared).When(undo(kim, 0)).Refuses(t, appointment.ErrNoUndo)
	given(booked, arrived, moved).When(undo(kim, 0)).Refuses(t, appointment.ErrNoUndo)
	given(booked, calledIn, removed(appointment.Cleared)).When(undo(kim, 0)).Refuses(t, appointment.ErrNoUndo)
	given(booked, calledIn, attended, removed(appointment.ConsultationStarted)).When(undo(kim, 0)).Refuses(t, appointment.ErrNoUndo)
	given(booked, arrived, cancelled).When(undo(kim, 0)).Refuses(t, appointment.ErrCancelled)
	given(booked).When(undo(kim, 0)).Refuses(t, appointment.ErrNoUndo)
}

// After an undo, the appointment goes on as it was before the step.
func TestUndoRestoresTheStateBefore_D155(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[anAppointment]
	cleared, came := appointment.ArrivalCleared{Subject: subject}, appointment.DidNotAttendCleared{Subject: subject}
	stillAbsent, stillThere := cleared, came
	stillAbsent.DidNotAttend, stillThere.ArrivedAt = true, noon

	given(booked, arrived, cleared).When(markArrived).Then(t, arrived)
	given(booked, didNotAttend, arrived, stillAbsent).When(markDidNotAttend).Then(t)
	given(booked, didNotAttend, came).When(markDidNotAttend).Then(t, didNotAttend)
	given(booked, arrived, didNotAttend, stillThere).When(markArrived).Then(t)
}
