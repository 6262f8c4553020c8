package eventstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

// BenchmarkFeed is three consumers, of which one writes a row for each event, one
// only looks at each, and one follows none of them. The backlog is there when they
// begin, and its floor is to read and decode the same events once. The trickle comes
// while they wait, 1,300 events a second, and its floor is the same without consumers.
func BenchmarkFeed(b *testing.B) {
	admin, _, e := durable(b, 24)
	if _, err := admin.Exec(b.Context(), `CREATE TABLE handled_events (idx bigint PRIMARY KEY); GRANT ALL ON handled_events TO frontdesk_app`); err != nil {
		b.Fatal(err)
	}
	cluster := benchtest.ClusterOf(b, admin)
	b.Run("backlog", func(b *testing.B) {
		e.sequence(b)
		benchtest.Comparison{
			Ratio:   "of-reading",
			Floor:   benchtest.Rate{Unit: "read/s", Prepare: func() { e.appendBacklog(b) }, Turn: func() benchtest.Work { return e.read(b) }},
			Rate:    benchtest.Rate{Unit: "events/s", Prepare: func() { e.appendBacklog(b) }, Turn: func() benchtest.Work { return e.backlog(b) }},
			Cluster: cluster,
		}.Run(b)
	})
	b.Run("trickle", func(b *testing.B) {
		e.sequence(b)
		alone := func() benchtest.Work { return e.trickle(b) }
		fed := func() benchtest.Work {
			defer e.three(b)()
			return e.trickle(b)
		}
		benchtest.Comparison{
			Ratio:   "of-unfed",
			Floor:   benchtest.Rate{Unit: "unfed/s", Turn: alone},
			Rate:    benchtest.Rate{Unit: "fed/s", Prepare: func() { e.skipBacklog(b) }, Turn: fed},
			Cluster: cluster,
		}.Run(b)
	})
}

// three consumers run until they are stopped.
func (e *engine) three(b *testing.B) (stop func()) {
	b.Helper()
	writer := e.consumer("writer", func(ctx context.Context, conn *pgx.Conn, page []event.Recorded) error {
		batch := &pgx.Batch{}
		for _, r := range page {
			batch.Queue(`INSERT INTO handled_events (idx) VALUES ($1)`, r.Idx)
		}
		return conn.SendBatch(ctx, batch).Close()
	})
	looker := e.consumer("looker", func(context.Context, *pgx.Conn, []event.Recorded) error { return nil })
	idler := e.consumer("idler", func(context.Context, *pgx.Conn, []event.Recorded) error { return nil })
	idler.Follows = []event.Event{eventtest.Counted{}}
	var stops []func()
	for _, c := range []*eventstore.Consumer{writer, looker, idler} {
		stops = append(stops, enginetest.RunUntilCleanup(b, c.Run))
	}
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}

const backlog = 10_000

// appendBacklog appends behind the consumers' backs, who were at the head of the log.
func (e *engine) appendBacklog(b *testing.B) {
	b.Helper()
	e.skipBacklog(b)
	for range backlog / 100 {
		e.appendTogether(b, 100)
	}
	e.Drain(b)
}

// appendTogether appends the first events of so many streams at once.
func (e *engine) appendTogether(b *testing.B, events int) {
	b.Helper()
	var changes []event.Change
	for range events {
		changes = append(changes, event.Change{Stream: enginetest.NewStream(), Events: []event.Event{sample}})
	}
	if _, err := e.Store.Append(b.Context(), changes...); err != nil {
		b.Fatal(err)
	}
}

// backlog lets three consumers come to the head of the log.
func (e *engine) backlog(b *testing.B) benchtest.Work {
	b.Helper()
	begun := clock.Start()
	defer e.three(b)()
	clocktest.Eventually(b, func() bool {
		var behind bool
		err := e.Pool.QueryRow(b.Context(), `SELECT count(*) < 3 OR min(idx) < (SELECT head FROM sequencer) FROM feed_offsets`).Scan(&behind)
		return err == nil && !behind
	}, "the backlog is handled")
	return benchtest.Work{Done: backlog, Took: begun.Elapsed()}
}

// read decodes as many events as a backlog has.
func (e *engine) read(b *testing.B) benchtest.Work {
	b.Helper()
	log := eventstore.Log{DB: e.Pool, Codec: e.Store.Codec}
	head, err := log.Head(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	begun, done := clock.Start(), 0
	for _, err := range log.After(b.Context(), max(0, head-backlog)) {
		if err != nil {
			b.Fatal(err)
		}
		done++
	}
	return benchtest.Work{Done: float64(done), Took: begun.Elapsed()}
}

// skipBacklog moves the consumers to the head of the log.
func (e *engine) skipBacklog(b *testing.B) {
	b.Helper()
	e.Drain(b)
	if _, err := e.Pool.Exec(b.Context(), `UPDATE feed_offsets SET idx = head FROM sequencer`); err != nil {
		b.Fatal(err)
	}
}

// trickle appends at a pace for a second.
func (e *engine) trickle(b *testing.B) benchtest.Work {
	b.Helper()
	const together, times = 13, 100
	pace := time.NewTicker(time.Second / times)
	defer pace.Stop()
	begun := clock.Start()
	for range times {
		<-pace.C
		e.appendTogether(b, together)
	}
	return benchtest.Work{Done: together * times, Took: begun.Elapsed()}
}
