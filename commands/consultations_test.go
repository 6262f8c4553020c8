package commands_test

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/appointment"
	"frontdesk/domain/consultation"
	"frontdesk/domain/event"
)

func TestTheFirstConsultationIsStartedOnce_D86(t *testing.T) {
	t.Parallel()
	d := startDay(t)
	start := commands.StartConsultation{Tenant: elm, Patient: d.patient, Appointment: d.appointment, First: true}
	made[consultation.ID](t)(d.start(t.Context(), start))
	_, err := d.start(t.Context(), start)
	wantRefusal(t, err, appointment.ErrAttended)
	start.First = false
	made[consultation.ID](t)(d.start(t.Context(), start))
}

func TestWalkInConsultationIsOneEvent(t *testing.T) {
	t.Parallel()
	d := startDay(t)
	before := len(d.Log())
	id := made[consultation.ID](t)(d.start(t.Context(), commands.StartConsultation{Tenant: elm, Patient: d.patient}))
	d.wantSince(t, before, consultation.Started{Consultation: id, Patient: d.patient})
}

func TestConsultationNeedsOwnAppointment(t *testing.T) {
	t.Parallel()
	d := startDay(t)
	other := d.register(t, elm, "Bill Baker")
	before := len(d.Log())
	for _, id := range []appointment.ID{d.appointment, {UUID: uuid.New()}} {
		_, err := d.start(t.Context(), commands.StartConsultation{Tenant: elm, Patient: other, Appointment: id})
		wantRefusal(t, err, appointment.ErrUnknown)
	}
	d.wantSince(t, before)
}

// racing appends in between, before the first append that it sees.
type racing struct {
	*commandtest.Store
	meanwhile func()
	appends   [][]event.Change
}

func (r *racing) Append(ctx context.Context, changes ...event.Change) ([]event.Recorded, error) {
	r.appends = append(r.appends, changes)
	if len(r.appends) == 1 {
		r.meanwhile()
	}
	return r.Store.Append(ctx, changes...)
}

func TestConsultationEndsCallInAtOnce(t *testing.T) {
	t.Parallel()
	d := startDay(t)
	before := len(d.Log())
	// The patient is called in between the decision and the append: the decision runs
	// again, and the consultation is not started twice.
	store := &racing{Store: d.Store, meanwhile: func() { must(t, d.callIn(t.Context(), elm, d.room)) }}
	handler := commands.Desk{Store: store, Patients: d, Now: noon}

	id := made[consultation.ID](t)(handler.StartConsultation(t.Context(),
		commands.StartConsultation{Tenant: elm, Patient: d.patient, Appointment: d.appointment}))

	d.wantSince(t, before,
		appointment.CalledIn{Subject: d.subject(), Room: d.room, CalledInAt: noon()},
		appointment.Attended{Subject: d.subject()},
		appointment.CallInRemoved{Subject: d.subject(), Reason: appointment.ConsultationStarted, RemovedAt: noon()},
		consultation.Started{Consultation: id, Patient: d.patient, Appointment: d.appointment})
	if len(store.appends) != 2 {
		t.Errorf("%d appends, want 2: the one that lost and the one that won", len(store.appends))
	}
}
