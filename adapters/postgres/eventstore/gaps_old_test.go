package eventstore_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

// oldGaps returns the number of gaps that only long transactions can fill.
func (e *engine) oldGaps(t testing.TB) (gaps int) {
	t.Helper()
	if err := e.Pool.QueryRow(t.Context(), `SELECT count(*) FROM old_gaps`).Scan(&gaps); err != nil {
		t.Fatal(err)
	}
	return gaps
}

// refused draws positions for appends that are rolled back, with an event between any two.
func (e *engine) refused(t testing.TB, times int) {
	t.Helper()
	for range times {
		if err := e.inFlight(t).Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
		e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 2})
	}
}

// Gaps that wait for only one writer are set aside until that one has ended.
func TestGapOfOldWriterIsSetAside(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	s, slow := e.Sequencer(), e.inFlight(t)
	e.refused(t, 10)
	e.look(t, s, enough)
	if n := e.oldGaps(t); n != 10 {
		t.Fatalf("%d gaps are old, want ten: the writer drew its position beside a refused one", n)
	}
	e.refused(t, 3)
	e.look(t, s, enough)
	if n := e.oldGaps(t); n != 13 {
		t.Errorf("%d gaps are old, want three more", n)
	}
	if err := slow.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.wantAll(t)
	if got := e.gaps(t); len(got) > 0 {
		t.Errorf("gaps after the writer has ended: %v", got)
	}
}

// A reader of an event may append another. So an event in an old gap comes before all events
// of later positions, even if it takes many looks to find it.
func TestEventsOfLateWritersKeepOrder(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	stream, s := enginetest.NewStream(), e.Sequencer()
	s.Batch = 2
	e.refused(t, 5)
	tx := e.begin(t)
	for version := range 3 {
		insertCounted(t, tx, stream, version+1)
		e.refused(t, 5)
	}
	e.look(t, s, enough)
	if e.oldGaps(t) < 15 {
		t.Fatalf("%d gaps are old", e.oldGaps(t))
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.Append(t, stream, 3, eventtest.Counted{N: 4})
	e.wantAll(t) // in the order of versions
}

// Slow writers share their streams with quick ones. Some give up.
func TestLogStaysCausalWithSlowWriters(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	streams := []event.Stream{enginetest.NewStream(), enginetest.NewStream(), enginetest.NewStream()}
	var stop []func()
	for range 2 {
		s := e.Sequencer()
		s.Batch = 3
		stop = append(stop, enginetest.RunUntilCleanup(t, s.Run), enginetest.RunUntilCleanup(t, func(ctx context.Context) {
			for ctx.Err() == nil {
				_ = s.Drain(ctx) // looks who is writing each time
			}
		}))
	}
	for range 4 {
		stop = append(stop, enginetest.RunUntilCleanup(t, func(ctx context.Context) {
			for ctx.Err() == nil {
				e.writeSlowly(ctx, streams[rand.IntN(len(streams))], time.Duration(rand.IntN(60))*time.Millisecond)
			}
		}))
	}
	for range 4 {
		e.write(t, streams, 40)
		e.refused(t, 5)
	}
	slices.Reverse(stop)
	for _, stop := range stop {
		stop()
	}
	e.wantAll(t)
}

// writeSlowly appends to a stream in a transaction of some length, unless another is faster.
func (e *engine) writeSlowly(ctx context.Context, stream event.Stream, length time.Duration) {
	_ = pgx.BeginFunc(ctx, e.Pool, func(tx pgx.Tx) error {
		var version int
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM events WHERE stream = $1`, stream.ID).Scan(&version); err != nil || version == 0 {
			return fmt.Errorf("no stream: %w", err)
		}
		_, err := tx.Exec(ctx, eventstore.AppendAll, eventstore.AppendArgs(stream, version+1, "test.counted.v1", `{"n":1}`, enginetest.Noon)...)
		time.Sleep(length)
		if rand.IntN(3) == 0 {
			return pgx.ErrTxClosed
		}
		return err
	})
}
