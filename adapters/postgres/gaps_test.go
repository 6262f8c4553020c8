package postgres_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/domain/event/eventtest"
)

// gaps is what the sequencer still looks for.
func (e *engine) gaps(t testing.TB) (gaps []int64) {
	t.Helper()
	if err := e.pool.QueryRow(t.Context(), `SELECT gaps FROM sequencer`).Scan(&gaps); err != nil {
		t.Fatal(err)
	}
	slices.Sort(gaps)
	return gaps
}

// inFlight is an append that has drawn its position and not committed.
func (e *engine) inFlight(t testing.TB) pgx.Tx {
	t.Helper()
	tx, stream := e.begin(t), newStream()
	if _, err := tx.Exec(t.Context(), postgres.AppendFirst, uuid.New(), stream.Tenant, stream.ID, 1,
		"test.counted.v1", nil, `{"n":1}`, `{}`, time.Now()); err != nil {
		t.Fatal(err)
	}
	return tx
}

// look lets one sequencer place an event, so often that its watch has looked
// twice: once to see who writes, once to see who still does.
func (e *engine) look(t testing.TB, s *postgres.Sequencer) {
	t.Helper()
	for range 2 {
		s.LookAgain()
		e.append(t, newStream(), 0, eventtest.Counted{N: 2})
		if err := s.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAGapStaysOpenWhileItsWriterMayFillIt(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	s, slow := e.sequencer(), e.inFlight(t)
	e.look(t, s)
	e.look(t, s)
	if got := e.gaps(t); !slices.Equal(got, []int64{1}) {
		t.Fatalf("gaps while the writer is at it: %v", got)
	}
	if err := slow.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.drain(t)
	if got := e.gaps(t); len(got) > 0 {
		t.Errorf("gaps after it was filled: %v", got)
	}
	log := e.logged(t)
	if wantCausal(t, log); len(log) != 5 {
		t.Errorf("the log has %d events, want 5", len(log))
	}
}

func TestAGapThatNobodyCanFillIsStruckOut(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	s, refused, other := e.sequencer(), e.inFlight(t), e.inFlight(t)
	if err := refused.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.look(t, s)
	if got := e.gaps(t); !slices.Equal(got, []int64{1, 2}) {
		t.Fatalf("gaps while one of their writers is at it: %v", got)
	}
	if err := other.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.look(t, s)
	if got := e.gaps(t); len(got) > 0 {
		t.Errorf("gaps when nobody is left: %v", got)
	}
}

// Writers come and go, and there is always one: those that were there when a
// gap was seen are waited for, not those that have come since.
func TestAGapIsStruckOutThoughSomebodyAlwaysWrites(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	s, refused := e.sequencer(), e.inFlight(t)
	if err := refused.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		writer := e.inFlight(t)
		e.look(t, s)
		if err := writer.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := e.gaps(t); slices.Contains(got, 1) {
		t.Errorf("gaps: %v", got)
	}
}

// A sequencer that takes over knows nothing but the row, and needs no more.
func TestAnotherSequencerFindsWhatFillsAGap(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	slow := e.inFlight(t)
	e.append(t, newStream(), 0, eventtest.Counted{N: 2})
	e.drain(t)
	e.look(t, e.sequencer())
	if err := slow.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.drain(t)
	if log := e.logged(t); len(log) != 4 {
		t.Errorf("the log has %d events, want 4", len(log))
	}
}
