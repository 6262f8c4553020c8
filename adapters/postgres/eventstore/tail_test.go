package eventstore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

// follower is a database in which a consumer records each event that it is handed, with its
// idx, and the process that it runs in.
type follower struct {
	*engine
	db *postgrestest.Database
}

func newFollower(t *testing.T) follower {
	t.Helper()
	db := postgrestest.New(t)
	enginetest.Execute(t, db.AdminURL, `CREATE TABLE handled_events (idx bigint NOT NULL, id uuid NOT NULL); GRANT ALL ON handled_events TO frontdesk_app`)
	return follower{engineOn(t, db.URL), db}
}

// catchUp runs the consumer until it has come to the head of the log. The process, and so
// the tail, is the same each time.
func (x follower) catchUp(t *testing.T) {
	t.Helper()
	x.Drain(t)
	stop := enginetest.RunUntilCleanup(t, x.consumer("follower", each(func(ctx context.Context, conn *pgx.Conn, e event.Recorded) error {
		_, err := conn.Exec(ctx, `INSERT INTO handled_events VALUES ($1, $2)`, e.Idx, e.ID)
		return err
	})).Run)
	head, err := x.Log.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	clocktest.Eventually(t, func() bool { return x.offset(t, "follower") == head }, "the consumer has come to the end")
	stop()
}

// wantHandledAsLogged fails unless each place in the log was handled once, with its event.
func (x follower) wantHandledAsLogged(t *testing.T) {
	t.Helper()
	var differ int
	err := x.Pool.QueryRow(t.Context(), `
		SELECT count(*) FROM (SELECT idx, id FROM log JOIN events USING (position)) l FULL JOIN (SELECT idx, id, count(*) AS n FROM handled_events GROUP BY 1, 2) t USING (idx, id)
		WHERE t IS NULL OR l IS NULL OR n <> 1`).Scan(&differ)
	if err != nil || differ != 0 {
		t.Errorf("%d places differ between the handled events and the log, %v", differ, err)
	}
}

// takeBack makes the whole database as it was at an idx, except some events that had no
// place then.
func (x follower) takeBack(t *testing.T, head int64, survivors int) {
	t.Helper()
	rewind(t, x.db, head, survivors)
	enginetest.Execute(t, x.db.AdminURL, fmt.Sprintf(`UPDATE feed_offsets SET idx = least(idx, %[1]d); DELETE FROM handled_events WHERE idx > %[1]d`, head))
}

func TestLostHistoryIsNotHandled_D49(t *testing.T) {
	t.Parallel()
	t.Run("a promoted standby", func(t *testing.T) {
		t.Parallel()
		x := newFollower(t)
		x.AppendMany(t, 20)
		x.catchUp(t)
		x.takeBack(t, 6, 2)
		x.AppendMany(t, 30)
		x.catchUp(t)
		x.wantHandledAsLogged(t)
	})
	// The two epochs have all in common but the event that began them.
	t.Run("two standbys, one after the other", func(t *testing.T) {
		t.Parallel()
		x := newFollower(t)
		x.AppendMany(t, 10)
		x.catchUp(t)
		for range 2 {
			x.takeBack(t, 6, 4)
			x.catchUp(t)
			x.wantHandledAsLogged(t)
		}
	})
	// Nothing shows it: the machine was set back to an earlier copy of its disk.
	t.Run("without an epoch", func(t *testing.T) {
		t.Parallel()
		x := newFollower(t)
		x.AppendMany(t, 20)
		x.catchUp(t)
		x.takeBack(t, 6, 0)
		enginetest.Execute(t, x.db.SuperuserURL, `UPDATE sequencer SET timeline = (SELECT now_timeline FROM history)`)
		x.AppendMany(t, 30)
		x.catchUp(t)
		x.wantHandledAsLogged(t)
	})
}

// decoded counts how often events of its type are decoded.
var decoded atomic.Int64

type tallied struct{ N int }

func (tallied) EventName() string { return "test.tallied.v1" }

func (e *tallied) UnmarshalJSON(data []byte) error {
	decoded.Add(1)
	return json.Unmarshal(data, &e.N)
}

func (e tallied) MarshalJSON() ([]byte, error) { return json.Marshal(e.N) }

func TestEventIsDecodedOncePerProcess(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	codec, err := event.NewCodec(tallied{})
	if err != nil {
		t.Fatal(err)
	}
	e.Store.Codec, e.tail = codec, e.newTail(codec)
	for n := range 50 {
		e.Append(t, enginetest.NewStream(), 0, tallied{n})
	}
	e.Drain(t)
	before := decoded.Load()
	var handled atomic.Int64
	for _, name := range []string{"a", "b", "c"} {
		enginetest.RunUntilCleanup(t, e.consumer(name, func(_ context.Context, _ *pgx.Conn, page []event.Recorded) error {
			handled.Add(int64(len(page)))
			return nil
		}).Run)
	}
	clocktest.Eventually(t, func() bool { return handled.Load() == 150 }, "all have handled all")
	if got := decoded.Load() - before; got != 50 {
		t.Errorf("50 events were decoded %d times", got)
	}
}

// The tail goes on without the one that is far behind, which reads alone.
func TestSlowConsumerMissesNothing(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e, recorder := engineOn(t, db.URL), newRecorder(t, db)
	const events = 6000 // more than a tail holds
	for range events / 500 {
		e.Append(t, enginetest.NewStream(), 0, slices.Repeat([]event.Event{eventtest.Counted{}}, 500)...)
	}
	e.Drain(t)
	reached, proceed := make(chan struct{}), make(chan struct{})
	reach := sync.OnceFunc(func() { close(reached) })
	recorder.set(func(_ context.Context, r event.Recorded) error {
		if r.Idx == 3 {
			reach()
			<-proceed
		}
		return nil
	})
	behind := e.consumer("recorder", recorder.handle)
	behind.Limit = time.Minute // it waits for the other in an attempt
	enginetest.RunUntilCleanup(t, behind.Run)
	<-reached
	var ahead atomic.Int64
	enginetest.RunUntilCleanup(t, e.consumer("ahead", each(func(_ context.Context, _ *pgx.Conn, r event.Recorded) error {
		ahead.Store(r.Idx)
		return nil
	})).Run)
	clocktest.Eventually(t, func() bool { return ahead.Load() == events }, "the other is at the end")
	close(proceed)
	e.eventuallyHandled(t, idxUpTo(events))
}

// looks counts the transactions of consumers.
type looks struct{ n atomic.Int64 }

func (l *looks) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if q.SQL == eventstore.NextPage {
		l.n.Add(1)
	}
	return ctx
}

func (*looks) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func TestUnfollowedEventWakesNoConsumer(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e, recorder, looked := engineOn(t, db.URL), newRecorder(t, db), &looks{}
	e.sequence(t)
	pool, err := postgres.NewTracedPool(context.WithoutCancel(t.Context()), db.URL, 4, looked)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	older, err := event.NewCodec(eventtest.Noted{}, eventtest.Counted{})
	if err != nil {
		t.Fatal(err)
	}
	e.tail = e.newTail(older)
	consumer := e.following(recorder)
	consumer.DB = stdlib.OpenDBFromPool(pool)
	registry, metrics := newMetrics(t)
	consumer.Metrics = metrics
	enginetest.RunUntilCleanup(t, consumer.Run)
	for n := range 200 {
		e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: n})
		clocktest.Eventually(t, func() bool { return e.head(t) == int64(n)+1 }, "it is in the log")
	}
	if got := looked.n.Load(); got > 100 {
		t.Errorf("%d looks for nothing", got)
	}
	clocktest.Eventually(t, func() bool { return e.offset(t, "recorder") == 200 }, "its offset follows all the same")
	e.Append(t, enginetest.NewStream(), 0, eventtest.Noted{Note: "at last"})
	e.eventuallyHandled(t, []int64{201})
	// An unknown event may be one that a newer program follows.
	if _, err := e.Pool.Exec(t.Context(), `INSERT INTO events (id, tenant, stream, version, name, data, metadata, recorded_at)
		VALUES ($1, 'elm-street', $2, 1, 'test.newer.v1', '{}', '{}', now())`, uuid.New(), uuid.New()); err != nil {
		t.Fatal(err)
	}
	clocktest.Eventually(t, func() bool {
		return enginetest.Counter(t, registry, "frontdesk_consumer_stops_total") >= 2 && e.offset(t, "recorder") == 201
	}, "the consumer has stopped there")
}

func (e *engine) head(t *testing.T) int64 {
	t.Helper()
	head, err := e.Log.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return head
}
