package projections_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/uploads"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

var idempotency = event.Idempotency{Tenant: elm, Key: event.Digest{1}, Body: event.Digest{2}.String(), Answer: "{\"patientRequestId\":\"x\"}\n"}

// desk is the target of the calls.
func (d *day) desk() commands.Desk {
	return commands.Desk{
		Store: d.Store, Receptions: projections.Availability{DB: d.Pool}, Responses: projections.IdempotentResponses{DB: d.Pool},
		Patients: projections.Patients{DB: d.Pool}, Now: func() time.Time { return d.At },
	}
}

// submit makes a call with a key, and returns its answer.
func (d *day) submit(ctx context.Context, i event.Idempotency) (string, error) {
	answer, _, err := commands.Once(ctx, d.desk(), i, func(ctx context.Context, desk commands.Desk) ([]byte, error) {
		id, err := desk.SubmitPatientRequest(ctx, commands.SubmitPatientRequest{
			Tenant: elm, Submission: request.Submission{Patient: ann, Type: request.Medical},
		})
		return fmt.Appendf(nil, "{\"patientRequestId\":%q}\n", id), err
	})
	return string(answer), err
}

// under is the key of so many rounds, with a body.
func under(round, body byte) event.Idempotency {
	return event.Idempotency{Tenant: elm, Key: event.Digest{1, round}, Body: event.Digest{body}.String()}
}

// openDay is a day on which the practice accepts requests.
func openDay(t *testing.T) *day {
	t.Helper()
	d := newDay(t)
	d.happened(t.Context(), t, elm, practice.StreamOf(elm).ID, 0, practice.Registered{Name: "Elm Street", TimeZone: "Europe/London"})
	d.happened(t.Context(), t, elm, ann.UUID, 0, patient.Registered{Patient: ann, Name: "Ann Archer"})
	return d
}

func (d *day) submissions(t *testing.T) (n int) {
	t.Helper()
	if err := d.Pool.QueryRow(t.Context(), `SELECT count(*) FROM events WHERE name = 'patient-request.submitted.v1'`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestFiftyEqualCallsAtOnceMakeOneRequest_D22(t *testing.T) {
	t.Parallel()
	d := openDay(t)
	for round := range byte(3) {
		i := under(round, 2)
		var ids [50]string
		var group sync.WaitGroup
		for n := range ids {
			group.Go(func() {
				var err error
				if ids[n], err = d.submit(t.Context(), i); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		for _, id := range ids {
			if id != ids[0] || id == "" {
				t.Fatalf("answered %s and %s", ids[0], id)
			}
		}
		if got, want := d.submissions(t), int(round)+1; got != want {
			t.Errorf("%d requests were made, want %d", got, want)
		}
	}
}

func TestOfTwoBodiesAtOnceOneIsAConflict_D22(t *testing.T) {
	t.Parallel()
	d := openDay(t)
	var errs [20]error
	var group sync.WaitGroup
	for n := range errs {
		group.Go(func() { _, errs[n] = d.submit(t.Context(), under(0, byte(n))) })
	}
	group.Wait()
	won := 0
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, commands.ErrKeyReused):
			t.Error(err)
		}
	}
	if won != 1 || d.submissions(t) != 1 {
		t.Errorf("%d calls were answered 200, and %d requests made", won, d.submissions(t))
	}
}

func TestAnOldAnswerIsNotInTheWay_D22(t *testing.T) {
	t.Parallel()
	d := openDay(t)
	first, err := d.submit(t.Context(), under(0, 2))
	if err != nil {
		t.Fatal(err)
	}
	recorded := d.At
	d.At = recorded.Add(commands.ResponseLifetime - time.Microsecond)
	if again, err := d.submit(t.Context(), under(0, 2)); err != nil || again != first {
		t.Errorf("within the day: %s instead of %s, %v", again, first, err)
	}
	d.At = recorded.Add(commands.ResponseLifetime)
	second, err := d.submit(t.Context(), under(0, 3))
	if err != nil || second == first {
		t.Fatalf("after the day: %s, %v", second, err)
	}
	if again, err := d.submit(t.Context(), under(0, 3)); err != nil || again != second {
		t.Errorf("then: %s instead of %s, %v", again, second, err)
	}
}

func TestAnswersAreATenantsOwn_D18(t *testing.T) {
	t.Parallel()
	d := openDay(t)
	if _, err := d.submit(t.Context(), under(0, 2)); err != nil {
		t.Fatal(err)
	}
	answer, err := projections.IdempotentResponses{DB: d.Pool}.Response(t.Context(), oak, under(0, 2).Key, time.Time{})
	if err != nil || answer != (commands.Response{}) {
		t.Errorf("another practice is answered %+v, %v", answer, err)
	}
}

func TestOldAnswersAreSwept_D22(t *testing.T) {
	t.Parallel()
	d := openDay(t)
	if _, err := d.submit(t.Context(), under(0, 2)); err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return d.At }
	sweeper := uploads.Sweeper{
		DB: postgres.On(d.Pool), Uploads: &uploads.Store{DB: postgres.On(d.Pool)}, Now: now, RealNow: now, Log: slog.New(slog.DiscardHandler),
	}
	recorded := d.At
	rows := func() (n int) {
		if err := d.Pool.QueryRow(t.Context(), `SELECT count(*) FROM answers`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	d.At = recorded.Add(commands.ResponseLifetime - time.Microsecond)
	if err := sweeper.Sweep(t.Context()); err != nil || rows() != 1 {
		t.Errorf("within the day %d are left, %v", rows(), err)
	}
	d.At = recorded.Add(commands.ResponseLifetime)
	if err := sweeper.Sweep(t.Context()); err != nil || rows() != 0 {
		t.Errorf("after the day %d are left, %v", rows(), err)
	}
}

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
	if err := d.Pool.QueryRow(t.Context(), `SELECT count(*), max(patient::text)::uuid FROM answers`).Scan(&rows, &about); err != nil {
		t.Fatal(err)
	}
	if err := d.Pool.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE metadata LIKE '%"answer"%'), count(*) FILTER (WHERE name = 'consultation.started.v1') FROM events`).
		Scan(&keyed, &began); err != nil {
		t.Fatal(err)
	}
	if rows != 1 || about != ann.UUID || keyed != 1 || began != 1 {
		t.Errorf("%d rows of %s, %d events with the answer, %d consultations", rows, about, keyed, began)
	}
}

// All fifty append to one stream. Those that lose the race find the winner's answer.
func TestFiftyEqualCallsMakeOneChange_D93(t *testing.T) {
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
	erased := event.Recorded{Event: patient.Erased{Patient: ann}, Stream: patient.StreamOf(elm, ann), At: d.At}
	projections.IdempotentResponses{}.Project(erased, func(sql string, args ...any) {
		if _, err := d.Pool.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	})
	if left := d.answersLeft(t); left != 0 {
		t.Errorf("%d answers outlive the patient", left)
	}
}

func (d *day) answersLeft(t *testing.T) (n int) {
	t.Helper()
	if err := d.Pool.QueryRow(t.Context(), `SELECT count(*) FROM answers`).Scan(&n); err != nil {
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
	if answer, err := (projections.IdempotentResponses{DB: d.Pool}).Response(t.Context(), oak, elsewhere.Key, d.At.Add(-commands.ResponseLifetime)); err != nil || answer != (commands.Response{}) {
		t.Errorf("another practice is answered %+v, %v", answer, err)
	}
}
