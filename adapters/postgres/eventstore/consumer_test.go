package eventstore_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

// consuming is an engine with a running sequencer and a recorder of the events that a
// consumer handles.
func consuming(t *testing.T) (*engine, *recorder) {
	t.Helper()
	db := postgrestest.New(t)
	e, r := engineOn(t, db.URL), newRecorder(t, db)
	e.sequence(t)
	return e, r
}

func TestEachEventIsHandledOnceAndInOrder(t *testing.T) {
	t.Parallel()
	e, recorder := consuming(t)
	e.AppendMany(t, 250) // more than a batch, before and while it runs
	enginetest.RunUntilCleanup(t, e.consumer("recorder", recorder.handle).Run)
	e.AppendMany(t, 20)
	e.eventuallyHandled(t, idxUpTo(270))
}

func TestAConsumerSeesEventsAsTheLogHasThem(t *testing.T) {
	t.Parallel()
	e, _ := consuming(t)
	seen := make(chan event.Recorded, 1)
	handler := each(func(_ context.Context, _ *pgx.Conn, r event.Recorded) error { seen <- r; return nil })
	enginetest.RunUntilCleanup(t, e.consumer("seer", handler).Run)
	ctx := event.WithMetadata(t.Context(), event.Metadata{Actor: event.Actor{Kind: event.ByStaff, ID: "7"}, RequestID: "r"})
	if _, err := e.Store.Append(ctx, event.Change{Stream: enginetest.NewStream(), Events: []event.Event{eventtest.Noted{Note: "x"}}}); err != nil {
		t.Fatal(err)
	}
	got := <-seen
	if want := e.Logged(t)[0]; got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestFailedAttemptIsRolledBackAndRetried(t *testing.T) {
	t.Parallel()
	e, recorder := consuming(t)
	var attempts atomic.Int64
	recorder.set(func(_ context.Context, r event.Recorded) error {
		if r.Idx == 5 && attempts.Add(1) <= 3 {
			return errors.New("not yet")
		}
		return nil
	})
	e.AppendMany(t, 10)
	enginetest.RunUntilCleanup(t, e.consumer("recorder", recorder.handle).Run)
	e.eventuallyHandled(t, idxUpTo(10))
	if got := attempts.Load(); got != 4 {
		t.Errorf("idx 5 was attempted %d times, want 4", got)
	}
}

func TestBrokenTransactionIsRolledBack(t *testing.T) {
	t.Parallel()
	e, recorder := consuming(t)
	var attempts atomic.Int64
	handler := each(func(ctx context.Context, conn *pgx.Conn, r event.Recorded) error {
		if err := recorder.handleOne(ctx, conn, r); err != nil {
			return err
		}
		if r.Idx == 5 && attempts.Add(1) <= 2 {
			_, err := conn.Exec(ctx, `SELECT 1/0`)
			return err
		}
		return nil
	})
	e.AppendMany(t, 10)
	enginetest.RunUntilCleanup(t, e.consumer("recorder", handler).Run)
	e.eventuallyHandled(t, idxUpTo(10))
}

func TestLateAttemptIsRolledBack(t *testing.T) {
	t.Parallel()
	for name, wait := range map[string]func(context.Context){
		"by a moment": func(ctx context.Context) { <-ctx.Done() },
		"by far":      func(ctx context.Context) { <-ctx.Done(); <-time.After(100 * time.Millisecond) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, recorder := consuming(t)
			var attempts atomic.Int64
			recorder.set(func(ctx context.Context, r event.Recorded) error {
				if r.Idx == 3 && attempts.Add(1) <= 2 {
					wait(ctx)
				}
				return nil // it claims to have succeeded
			})
			e.AppendMany(t, 5)
			consumer := e.consumer("recorder", recorder.handle)
			consumer.Limit = 100 * time.Millisecond
			enginetest.RunUntilCleanup(t, consumer.Run)
			e.eventuallyHandled(t, idxUpTo(5))
			if attempts.Load() < 3 {
				t.Error("the late attempts were taken for good")
			}
		})
	}
}

func TestCutOffAttemptIsRolledBack(t *testing.T) {
	t.Parallel()
	e, recorder := consuming(t)
	var attempts atomic.Int64
	handler := each(func(ctx context.Context, conn *pgx.Conn, r event.Recorded) error {
		if err := recorder.handleOne(ctx, conn, r); err != nil {
			return err
		}
		if r.Idx == 3 && attempts.Add(1) <= 2 {
			_, err := conn.Exec(ctx, `SELECT pg_sleep(60)`)
			return err
		}
		return nil
	})
	e.AppendMany(t, 5)
	consumer := e.consumer("recorder", handler)
	consumer.Limit = 100 * time.Millisecond
	enginetest.RunUntilCleanup(t, consumer.Run)
	e.eventuallyHandled(t, idxUpTo(5))
}

func TestTwoProcessesHandleEachEventOnce(t *testing.T) {
	t.Parallel()
	e, recorder := consuming(t)
	for range 3 {
		enginetest.RunUntilCleanup(t, e.consumer("recorder", recorder.handle).Run)
	}
	e.AppendMany(t, 300)
	e.eventuallyHandled(t, idxUpTo(300))
}

func TestStoppedConsumerFinishesItsEvent(t *testing.T) {
	t.Parallel()
	e, recorder := consuming(t)
	reached, proceed := make(chan struct{}), make(chan struct{})
	recorder.set(func(_ context.Context, r event.Recorded) error {
		if r.Idx == 3 {
			close(reached)
			<-proceed
		}
		return nil
	})
	e.AppendMany(t, 5)
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() { defer close(stopped); e.consumer("recorder", recorder.handle).Run(ctx) }()
	<-reached
	cancel()
	close(proceed)
	<-stopped
	handled := e.handled(t)
	if len(handled) < 3 {
		t.Errorf("handled %v: the event it was at is lost", handled)
	}
	enginetest.RunUntilCleanup(t, e.consumer("recorder", recorder.handle).Run)
	e.eventuallyHandled(t, idxUpTo(5))
}

func TestOnlyAppendsWaitForTheDisk(t *testing.T) {
	t.Parallel()
	e, _ := consuming(t)
	seen := make(chan string, 1)
	handler := func(ctx context.Context, conn *pgx.Conn, _ []event.Recorded) error {
		var setting string
		err := conn.QueryRow(ctx, `SHOW synchronous_commit`).Scan(&setting)
		seen <- setting
		return err
	}
	enginetest.RunUntilCleanup(t, e.consumer("seer", handler).Run)
	e.AppendMany(t, 1)
	if got := <-seen; got != "off" {
		t.Errorf("a consumer's synchronous_commit is %s", got)
	}
	clocktest.Eventually(t, func() bool {
		var now string
		err := e.Pool.QueryRow(t.Context(), `SHOW synchronous_commit`).Scan(&now)
		return err == nil && now == "on"
	}, "the setting ends with the transaction")
}
