package eventstore_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

// gaps returns the positions that the sequencer still looks for.
func (e *engine) gaps(t testing.TB) (gaps []int64) {
	t.Helper()
	err := e.Pool.QueryRow(t.Context(), `
		SELECT coalesce(array_agg(position ORDER BY position), '{}') FROM (
			SELECT lower(g), upper(g) - 1 FROM sequencer CROSS JOIN LATERAL unnest(gaps) AS g UNION ALL SELECT first, last FROM old_gaps) g (first, last)
		CROSS JOIN LATERAL generate_series(first, last) AS position`).Scan(&gaps)
	if err != nil {
		t.Fatal(err)
	}
	return gaps
}

// inFlight is an append that has drawn its position and not committed.
func (e *engine) inFlight(t testing.TB) pgx.Tx {
	t.Helper()
	tx, stream := e.begin(t), enginetest.NewStream()
	insertCounted(t, tx, stream, 1)
	return tx
}

// insertCounted inserts an event of a stream as every release can.
func insertCounted(t testing.TB, tx pgx.Tx, stream event.Stream, version int) {
	t.Helper()
	if _, err := tx.Exec(t.Context(), `
		INSERT INTO events (id, tenant, stream, version, name, data, metadata, recorded_at)
		VALUES ($1, $2, $3, $4, 'test.counted.v1', '{"n":1}', '{}', now())`, uuid.New(), stream.Tenant, stream.ID, version); err != nil {
		t.Fatal(err)
	}
}

// enough is the number of looks after which a gap is closed: the sequencer sees the gap,
// notes who is writing, sees that they have ended, and does not find the event.
const enough = 4

// look lets a sequencer place an event, and look at its gaps, so many times.
func (e *engine) look(t testing.TB, s *eventstore.Sequencer, times int) {
	t.Helper()
	for range times {
		e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 2})
		if err := s.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAGapStaysOpenWhileItsWriterMayFillIt(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	s, slow := e.Sequencer(), e.inFlight(t)
	e.look(t, s, enough)
	e.look(t, s, enough)
	if got := e.gaps(t); !slices.Equal(got, []int64{1}) {
		t.Fatalf("gaps while the writer is at it: %v", got)
	}
	if err := slow.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.Drain(t)
	if got := e.gaps(t); len(got) > 0 {
		t.Errorf("gaps after it was filled: %v", got)
	}
	e.wantAll(t)
}

func TestUnfillableGapIsClosed(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	s, refused, other := e.Sequencer(), e.inFlight(t), e.inFlight(t)
	if err := refused.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.look(t, s, enough)
	if got := e.gaps(t); !slices.Equal(got, []int64{1, 2}) {
		t.Fatalf("gaps while one of their writers is at it: %v", got)
	}
	if err := other.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.look(t, s, enough)
	if got := e.gaps(t); len(got) > 0 {
		t.Errorf("gaps when no writer is left: %v", got)
	}
}

// There is always some writer. A gap waits for those that were writing when it was seen,
// and not for those that came later.
func TestGapIsClosedUnderConstantWrites(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	s, refused := e.Sequencer(), e.inFlight(t)
	if err := refused.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		writer := e.inFlight(t)
		e.look(t, s, enough)
		if err := writer.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := e.gaps(t); slices.Contains(got, 1) {
		t.Errorf("gaps: %v", got)
	}
}

// A running sequencer learns of gaps from each batch, and looks at them until there are
// none.
func TestRunningSequencerClosesAGap(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 2})
	e.sequence(t)
	clocktest.Eventually(t, func() bool { return len(e.Logged(t)) == 1 }, "the first event is in the log")
	if err := e.inFlight(t).Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	appended := 1
	clocktest.Eventually(t, func() bool {
		e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 2})
		appended++
		return len(e.Logged(t)) > 1 && len(e.gaps(t)) == 0
	}, "the gap was found, and struck out")
	clocktest.Eventually(t, func() bool { return len(e.Logged(t)) == appended }, "everything is in the log")
}

// A sequencer that takes over knows only the row, and that is enough.
func TestAnotherSequencerFillsAGap(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	slow := e.inFlight(t)
	e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 2})
	e.Drain(t)
	e.look(t, e.Sequencer(), enough)
	if err := slow.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.wantAll(t)
}

// wantAll fails unless everything that is stored comes to the log.
func (e *engine) wantAll(t testing.TB) {
	t.Helper()
	e.Drain(t)
	log, stored := e.Logged(t), 0
	if err := e.Pool.QueryRow(t.Context(), `SELECT count(*) FROM events`).Scan(&stored); err != nil {
		t.Fatal(err)
	}
	if wantCausal(t, log); len(log) != stored {
		t.Errorf("%d events are stored, %d are in the log", stored, len(log))
	}
}

// A database server that takes over may have lost the last positions, and then draws them
// again. Gaps that a sequencer saw on the server before do not count there.
func TestOtherServersGapsAreIgnored(t *testing.T) {
	t.Parallel()
	old, fresh := newEngine(t), newEngine(t)
	s, refused := old.Sequencer(), old.inFlight(t) // draws 1
	if err := refused.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	old.look(t, s, enough-1) // one more look would close the gap
	s.Pool = fresh.Pool
	slow := fresh.inFlight(t) // draws 1
	fresh.look(t, s, enough)
	if err := slow.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	fresh.wantAll(t)
}

// watching returns the gaps in the sequencer's row.
func (e *engine) watching(t testing.TB) (row string) {
	t.Helper()
	if err := e.Pool.QueryRow(t.Context(), `SELECT sequencer::text FROM sequencer`).Scan(&row); err != nil {
		t.Fatal(err)
	}
	return row
}
