//go:build prove

package eventstore_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/provetest"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

// A transaction that stays open keeps every gap open, and refused appends make more and
// more of them. Meanwhile batches take no longer than without, and write little.
func TestProveGapsSlowNothing_D53(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	e.Log.Page = 0
	e.AppendMany(t, 100)
	e.Drain(t)
	none := e.batches(t, db)

	stuck, refused := e.inFlight(t), provetest.Pick(20_000, 200_000)
	start := clock.Start()
	enginetest.Execute(t, db.AdminURL, fmt.Sprintf(`
		INSERT INTO events (id, tenant, stream, version, name, data, metadata, recorded_at)
		SELECT gen_random_uuid(), 'elm-street', md5((n / 2)::text)::uuid, 1, 'test.counted.v1', '{"n":1}', '{}', now() FROM generate_series(1, %d) AS n
		ON CONFLICT DO NOTHING`, 2*refused))
	t.Logf("appended %d events, and refused as many, within %s", refused, start.Elapsed())
	start = clock.Start()
	e.Drain(t)
	t.Logf("they were sequenced within %s", start.Elapsed())
	s := e.Sequencer()
	for e.oldGaps(t) < refused-10 {
		e.look(t, s, 1)
	}
	provetest.Tried(t, e.oldGaps(t), "open gaps")
	many := e.batches(t, db)
	t.Logf("a batch of five takes %s and writes %d bytes without gaps, %s and %d bytes with %d: %.2f times",
		none.took, none.wal, many.took, many.wal, refused, many.took.Seconds()/none.took.Seconds())
	if many.took > 2*none.took || many.wal > 2*none.wal+10_000 {
		t.Error("gaps make batches dearer")
	}

	if err := stuck.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	start = clock.Start()
	e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 1})
	e.Drain(t)
	t.Logf("the log goes on %s after the transaction has ended", start.Elapsed())
	if n := e.oldGaps(t); n > 0 {
		t.Errorf("%d gaps are still open", n)
	}
	e.wantAll(t)
}

// The sequence was moved far ahead.
func TestProveSequenceJumpCostsNothing_D53(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	e.AppendMany(t, 100)
	e.Drain(t)
	stuck := e.inFlight(t)
	enginetest.Execute(t, db.AdminURL, `SELECT setval('events_position_seq', 10000000)`)
	e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 1})
	start := clock.Start()
	e.Drain(t)
	took := start.Elapsed()
	t.Logf("after a jump of ten million positions, the first event was placed within %s", took)
	if took > time.Second {
		t.Error("that is too long")
	}
	if err := stuck.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.wantAll(t)
	e.look(t, e.Sequencer(), enough)
	if got := e.gaps(t); len(got) > 0 {
		t.Errorf("%d gaps are open", len(got))
	}
	provetest.Tried(t, 1, "jumps of the sequence")
}

type cost struct {
	took time.Duration // median
	wal  int64         // bytes of a batch
}

// batches measures batches of five events, in the rhythm of a sequencer.
func (e *engine) batches(t *testing.T, db *postgrestest.Database) cost {
	t.Helper()
	admin := db.SuperuserPool(t)
	written := func() (bytes int64) {
		if err := admin.QueryRow(t.Context(), `SELECT pg_current_wal_insert_lsn() - '0/0'`).Scan(&bytes); err != nil {
			t.Fatal(err)
		}
		return bytes
	}
	const rounds = 400
	var took []time.Duration
	var wal []int64
	looked := clock.Start()
	for range rounds {
		stream, five := enginetest.NewStream(), make([]event.Event, 5)
		for i := range five {
			five[i] = eventtest.Counted{N: i}
		}
		e.Append(t, stream, 0, five...)
		look := looked.Elapsed() >= 250*time.Millisecond
		if look {
			looked = clock.Start()
		}
		before, start := written(), clock.Start()
		if _, err := e.Pool.Exec(t.Context(), eventstore.SequenceEvents, 1000, look); err != nil {
			t.Fatal(err)
		}
		took, wal = append(took, start.Elapsed()), append(wal, written()-before)
	}
	slices.Sort(took)
	slices.Sort(wal)
	return cost{took[rounds/2], wal[rounds/2]}
}
