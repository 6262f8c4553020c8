package eventstore_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/provetest"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

func TestKilledProcessesHandleEventsOnce(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	comingAndGoing(t, db, db.URL, 9, 40)
}

// comingAndGoing lets three processes consume under one name, each with a tail of its own.
// They are stopped and started again, their handlers fail before and after they have
// written, and their sessions are terminated, while up to so many events come in each
// round. They go through a pooler where url leads to one.
func comingAndGoing(t *testing.T, db *postgrestest.Database, url string, rounds, events int) {
	t.Helper()
	e, recorder, admin := engineOn(t, db.URL), newRecorder(t, db), db.SuperuserPool(t)
	e.sequence(t)
	recorder.set(func(context.Context, event.Recorded) error {
		if rand.IntN(200) == 0 {
			return errors.New("not in the mood")
		}
		return nil
	})
	stop := make([]func(), 3)
	for n := range stop {
		stop[n] = e.process(t, url, recorder)
	}
	for round := range rounds {
		e.Append(t, enginetest.NewStream(), 0, slices.Repeat([]event.Event{eventtest.Counted{N: round}}, 1+rand.IntN(events))...)
		if round%10 == 9 {
			clocktest.Eventually(t, func() bool { return e.offset(t, "recorder") > e.head(t)-1000 }, "they keep up")
		}
		n := rand.IntN(len(stop))
		stop[n]()
		stop[n] = e.process(t, url, recorder)
		if _, err := admin.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = 'consumer' AND random() < 0.3`); err != nil {
			t.Fatal(err)
		}
	}
	recorder.set(nil)
	e.Drain(t)
	e.eventuallyHandled(t, idxUpTo(e.head(t)))
	provetest.Tried(t, rounds, "restarts of a consumer")
	provetest.Tried(t, int(e.head(t)), "events")
}

// process runs a consumer as another process would.
func (e *engine) process(t *testing.T, url string, recorder *recorder) (stop func()) {
	t.Helper()
	pool, err := postgres.NewPool(context.WithoutCancel(t.Context()), url, 4)
	if err != nil {
		t.Fatal(err)
	}
	consumer := e.consumer("recorder", func(ctx context.Context, conn *pgx.Conn, page []event.Recorded) error {
		if _, err := conn.Exec(ctx, `SET application_name = 'consumer'`); err != nil {
			return err
		}
		return recorder.handle(ctx, conn, page)
	})
	consumer.DB, consumer.Tail = stdlib.OpenDBFromPool(pool), eventstore.NewTail(pool, e.Store.Codec, e.Grown)
	end := enginetest.RunUntilCleanup(t, consumer.Run)
	return sync.OnceFunc(func() {
		end()
		pool.Close()
	})
}
