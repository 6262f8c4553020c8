package projections_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/projections"
)

// keep carries out an intent under a key, and answers with a text.
func (d *day) keep(ctx context.Context, i event.Idempotency, text string, act func(context.Context, commands.Desk) error) (string, bool, error) {
	answer, again, err := commands.Once(ctx, d.desk(), i, func(ctx context.Context, desk commands.Desk) ([]byte, error) {
		return []byte(text), act(ctx, desk)
	})
	return string(answer), again, err
}

// calledInDay is a day on which Ann is called in.
func calledInDay(t *testing.T) *day {
	t.Helper()
	d := openDay(t)
	d.happened(t.Context(), t, elm, subject.Appointment.UUID, 0, booked, calledIn)
	return d
}

func attend(ctx context.Context, desk commands.Desk) error {
	_, err := desk.StartConsultation(ctx, commands.StartConsultation{Tenant: elm, Patient: ann, Appointment: subject.Appointment})
	return err
}

// An append of several events is remembered once, and as the patient's.
func TestAnAppendIsRememberedOnce_D93(t *testing.T) {
	t.Parallel()
	d := calledInDay(t)
	if _, again, err := d.keep(t.Context(), under(1, 2), "{}\n", attend); again || err != nil {
		t.Fatal(again, err)
	}
	if answer, again, err := d.keep(t.Context(), under(1, 2), "another", attend); answer != "{}\n" || !again || err != nil {
		t.Errorf("answered %q again: %v, %v", answer, again, err)
	}
	var rows, keyed, began int
	var about uuid.UUID
	if err := d.pool.QueryRow(t.Context(), `SELECT count(*), max(patient::text)::uuid FROM answers`).Scan(&rows, &about); err != nil {
		t.Fatal(err)
	}
	if err := d.pool.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE metadata LIKE '%"answer"%'), count(*) FILTER (WHERE name = 'consultation.started.v1') FROM events`).
		Scan(&keyed, &began); err != nil {
		t.Fatal(err)
	}
	if rows != 1 || about != ann.UUID || keyed != 1 || began != 1 {
		t.Errorf("%d rows of %s, %d events with the answer, %d consultations", rows, about, keyed, began)
	}
}

// All fifty append to one stream. Those that lose the race find the winner's answer.
func TestFiftyEqualCallsOnOneStreamMakeOneChange_D93(t *testing.T) {
	t.Parallel()
	d := calledInDay(t)
	var answers [50]string
	var group sync.WaitGroup
	for n := range answers {
		group.Go(func() {
			answer, _, err := d.keep(t.Context(), under(1, 2), fmt.Sprintf("of %d", n), attend)
			if answers[n] = answer; err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if slices.Sort(answers[:]); answers[0] != answers[49] {
		t.Errorf("answered %q and %q", answers[0], answers[49])
	}
}

func TestARememberedAnswerGoesWithThePatient_D93(t *testing.T) {
	t.Parallel()
	d := calledInDay(t)
	note := func(ctx context.Context, desk commands.Desk) error {
		_, err := desk.CreateNote(ctx, commands.CreateNote{Tenant: elm, Patient: ann, Text: "a cough"})
		return err
	}
	for round, act := range []func(context.Context, commands.Desk) error{note, attend} {
		if _, _, err := d.keep(t.Context(), under(byte(round), 2), "{}\n", act); err != nil {
			t.Fatal(err)
		}
	}
	if left := d.answersLeft(t); left != 2 {
		t.Fatalf("%d answers are remembered, want 2", left)
	}
	erased := event.Recorded{Event: patient.Erased{Patient: ann}, Stream: patient.StreamOf(elm, ann), At: d.at}
	projections.Answers{}.Project(erased, func(sql string, args ...any) {
		if _, err := d.pool.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	})
	if left := d.answersLeft(t); left != 0 {
		t.Errorf("%d answers outlive the patient", left)
	}
}

func (d *day) answersLeft(t *testing.T) (n int) {
	t.Helper()
	if err := d.pool.QueryRow(t.Context(), `SELECT count(*) FROM answers`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// An application's change of itself belongs to no practice. Its key belongs to the
// practice that was called.
func TestGlobalChangeAnsweredOnce_D93(t *testing.T) {
	t.Parallel()
	d := openDay(t)
	chart := application.ID{UUID: uuid.New()}
	rename := func(ctx context.Context, desk commands.Desk) error {
		_, err := desk.Store.Append(ctx, event.Change{Stream: application.StreamOf(chart), Events: []event.Event{application.Registered{Name: "Chart"}}})
		return err
	}
	elsewhere := under(1, 2)
	elsewhere.Tenant = oak
	for i, c := range []struct {
		call  event.Idempotency
		again bool
	}{{under(1, 2), false}, {under(1, 2), true}} {
		if answer, again, err := d.keep(t.Context(), c.call, "{}\n", rename); answer != "{}\n" || again != c.again || err != nil {
			t.Errorf("call %d: %q, again: %v, %v", i, answer, again, err)
		}
	}
	if answer, err := (projections.Answers{DB: d.pool}).Answer(t.Context(), oak, elsewhere.Key, d.at.Add(-commands.AnswerLifetime)); err != nil || answer != (commands.Answer{}) {
		t.Errorf("another practice is answered %+v, %v", answer, err)
	}
}
