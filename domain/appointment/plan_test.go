package appointment_test

import (
	"testing"

	"frontdesk/domain/appointment"
	"frontdesk/domain/event/eventtest"
)

var plan = appointment.Plan{Clinician: bob, Minutes: 15, Kind: appointment.Telephone}

func TestAppointmentsHaveAPlan_D163(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[anAppointment]
	book := func(p appointment.Plan) func(anAppointment) (events, error) {
		return func(a anAppointment) (events, error) { return a.Book(subject, booked.At, p) }
	}
	planned := booked
	planned.Plan = plan

	given().When(book(plan)).Then(t, planned)
	given(planned).When(book(plan)).Then(t)
	given(booked).When(book(plan)).Refuses(t, appointment.ErrBooked)
	for minutes, refusal := range map[int]error{-1: appointment.ErrInvalidLength, 4: appointment.ErrInvalidLength, 121: appointment.ErrInvalidLength} {
		given().When(book(appointment.Plan{Minutes: minutes})).Refuses(t, refusal)
	}
	for _, minutes := range []int{0, appointment.MinMinutes, appointment.MaxMinutes} {
		given().When(book(appointment.Plan{Minutes: minutes})).Then(t, appointment.Booked{Subject: subject, At: booked.At, Plan: appointment.Plan{Minutes: minutes}})
	}
	given().When(book(appointment.Plan{Kind: "by-post"})).Refuses(t, appointment.ErrUnknownKind)
}

func TestPlanChangesWithOrWithoutMove_D163(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[anAppointment]
	same := appointment.Slot{Site: main, At: booked.At}
	to := func(slot appointment.Slot, p *appointment.Plan) func(anAppointment) (events, error) {
		return func(a anAppointment) (events, error) { return a.Move(slot, p, noon) }
	}
	planned := booked
	planned.Plan = plan
	replanned := appointment.Planned{Subject: subject, Plan: plan}
	elsewhere := appointment.Slot{Site: branch, At: later.At}
	there := subject
	there.Site = branch

	given(booked, arrived, calledIn).When(to(same, &plan)).Then(t, replanned) // the patient stays called in
	given(planned).When(to(same, &plan)).Then(t)
	given(planned).When(to(same, nil)).Then(t)
	given(booked, replanned).When(to(same, &plan)).Then(t)
	given(planned).When(to(later, nil)).Then(t, moved)
	given(planned).When(to(later, &plan)).Then(t, moved)
	given(planned, calledIn).When(to(elsewhere, &appointment.Plan{})).Then(t, removed(appointment.Cleared),
		appointment.Moved{Subject: there, From: main, At: later.At}, appointment.Planned{Subject: there})
	given(booked).When(to(same, &appointment.Plan{Minutes: 4})).Refuses(t, appointment.ErrInvalidLength)
	given(booked, attended).When(to(same, &plan)).Refuses(t, appointment.ErrAttended)
	given(booked, cancelled).When(to(same, &plan)).Refuses(t, appointment.ErrCancelled)
	given().When(to(same, &plan)).Refuses(t, appointment.ErrUnknown)
}
