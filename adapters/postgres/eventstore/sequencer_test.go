package eventstore_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

// write appends events to a few shared streams, as fast as conflicts allow,
// and returns the ids of those that were stored.
func (e *engine) write(t testing.TB, streams []event.Stream, times int) []uuid.UUID {
	t.Helper()
	var stored []uuid.UUID
	for n := range times {
		stream := streams[rand.IntN(len(streams))]
		history, err := e.Store.Load(t.Context(), stream)
		if err != nil {
			t.Error(err)
			return stored
		}
		recorded, err := e.Store.Append(t.Context(),
			event.Change{Stream: stream, Expected: len(history), Events: []event.Event{eventtest.Counted{N: n}}})
		switch {
		case err == nil:
			stored = append(stored, recorded[0].ID)
		case !errors.Is(err, event.ErrConflict):
			t.Error(err)
			return stored
		}
	}
	return stored
}

// writers run side by side and return the ids of all that was stored.
func (e *engine) writers(t testing.TB, writers, times int) []uuid.UUID {
	t.Helper()
	streams := []event.Stream{enginetest.NewStream(), enginetest.NewStream(), enginetest.NewStream(), enginetest.NewStream(), enginetest.NewStream()}
	var mu sync.Mutex
	var stored []uuid.UUID
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			ids := e.write(t, streams, times)
			mu.Lock()
			defer mu.Unlock()
			stored = append(stored, ids...)
		})
	}
	group.Wait()
	return stored
}

// wantLogged fails unless the log holds exactly these events, each once.
func (e *engine) wantLogged(t testing.TB, ids []uuid.UUID) {
	t.Helper()
	e.Drain(t)
	log := e.Logged(t)
	wantCausal(t, log)
	var logged []uuid.UUID
	for _, e := range log {
		logged = append(logged, e.ID)
	}
	compare := func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) }
	slices.SortFunc(logged, compare)
	slices.SortFunc(ids, compare)
	if !slices.Equal(logged, ids) {
		t.Errorf("%d events were stored, %d are in the log", len(ids), len(logged))
	}
}

func TestLogIsDenseAndCausal(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.sequence(t)
	e.wantLogged(t, e.writers(t, 16, 40))
}

func TestTwoSequencersPlaceEventsOnce(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	for range 3 {
		s := e.Sequencer()
		s.Batch = 3
		enginetest.RunUntilCleanup(t, s.Run)
	}
	e.wantLogged(t, e.writers(t, 8, 40))
}

// elected asks a transaction to sequence, and reports whether it may.
func elected(t *testing.T, tx pgx.Tx) bool {
	t.Helper()
	var astray *bool
	if err := tx.QueryRow(t.Context(), `SELECT astray FROM sequence_events(1, true)`).Scan(&astray); err != nil {
		t.Fatal(err)
	}
	return astray != nil
}

func TestOneSequencerIsElectedAtATime(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	first, second := e.begin(t), e.begin(t)
	if !elected(t, first) || elected(t, second) {
		t.Error("not the first alone is elected")
	}
	if err := first.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !elected(t, second) {
		t.Error("none is elected when the first has ended")
	}
}

func (e *engine) begin(t testing.TB) pgx.Tx {
	t.Helper()
	return begin(t, e.Pool)
}

func begin(t testing.TB, pool *pgxpool.Pool) pgx.Tx {
	t.Helper()
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) })
	return tx
}

func TestASequencerKilledAtAnyStepLosesNothing(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	victim := engineOn(t, db.URL) // its sequencer has connections of its own
	victim.Appended = e.Appended
	s := victim.Sequencer()
	s.Batch = 2
	stop := enginetest.RunUntilCleanup(t, s.Run)
	admin := db.SuperuserPool(t)
	killer := enginetest.RunUntilCleanup(t, func(ctx context.Context) {
		for ctx.Err() == nil {
			_, _ = admin.Exec(context.WithoutCancel(ctx), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND query LIKE '%sequence_events%' AND pid <> pg_backend_pid()`)
			select {
			case <-ctx.Done():
			case <-time.After(time.Millisecond):
			}
		}
	})
	ids := e.writers(t, 4, 60)
	killer()
	stop()
	e.wantLogged(t, ids)
}

// A transaction that took its transaction id first and appends last must not
// come first: readers ordered by transaction id see version 2 before version 1.
func TestOrderFollowsDecisions(t *testing.T) {
	t.Parallel()
	e, stream := newEngine(t), enginetest.NewStream()
	early := e.begin(t)
	if _, err := early.Exec(t.Context(), `SELECT pg_current_xact_id()`); err != nil {
		t.Fatal(err)
	}
	e.Append(t, stream, 0, eventtest.Counted{N: 1})
	e.Drain(t)

	_, err := early.Exec(t.Context(), eventstore.AppendAll, eventstore.AppendArgs(stream, 2, "test.counted.v1", `{"n":2}`, enginetest.Noon)...)
	if err != nil {
		t.Fatal(err)
	}
	if err := early.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.Drain(t)
	log := e.Logged(t)
	wantCausal(t, log)
	if len(log) != 2 {
		t.Errorf("the log has %d events, want 2", len(log))
	}
}

// An event whose append is slow to commit is not lost: it is placed after the commit,
// behind those that were placed before.
func TestAnAppendThatCommitsLateIsPlacedLate(t *testing.T) {
	t.Parallel()
	e, slow := newEngine(t), enginetest.NewStream()
	tx := e.begin(t)
	insertCounted(t, tx, slow, 1)
	e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 2}) // draws a later position, commits first
	e.Drain(t)
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.Drain(t)
	log := e.Logged(t)
	wantCausal(t, log)
	if len(log) != 2 || log[1].Stream != slow {
		t.Errorf("the log is %+v", log)
	}
}

func TestForeignTransactionStallsNothing(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e, recorder := engineOn(t, db.URL), newRecorder(t, db)
	e.sequence(t)
	enginetest.RunUntilCleanup(t, e.consumer("recorder", recorder.handle).Run)

	elsewhere := newEngine(t).begin(t) // another database
	if _, err := elsewhere.Exec(t.Context(), `INSERT INTO feed_offsets (consumer) VALUES ('open')`); err != nil {
		t.Fatal(err)
	}
	e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 1})
	e.eventuallyHandled(t, idxUpTo(1))
}

func TestDrainPlacesAppendedEvents(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 1}, eventtest.Counted{N: 2})
	e.Drain(t)
	if got := len(e.Logged(t)); got != 2 {
		t.Errorf("the log has %d events, want 2", got)
	}
}

func TestDrainBesideRunningSequencer(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	holder := e.begin(t)
	if !elected(t, holder) {
		t.Fatal("none is elected")
	}
	e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 1})
	drained := make(chan error, 1)
	go func() { drained <- e.Sequencer().Drain(t.Context()) }()
	if err := holder.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-drained; err != nil {
		t.Error(err)
	}
}

// A sequencer can be drained while it runs: the features do that, as does every caller that
// waits for the log.
func TestASequencerDrainsWhileItRuns(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	s := e.Sequencer()
	enginetest.RunUntilCleanup(t, s.Run)
	for range 20 {
		e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 1})
		if err := s.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(e.Logged(t)); got != 20 {
		t.Errorf("the log has %d events, want 20", got)
	}
}

func TestBusyLoopsPaceThemselves_D134(t *testing.T) {
	t.Parallel()
	for took, want := range map[time.Duration]time.Duration{
		0:                      2 * time.Millisecond,
		500 * time.Microsecond: 2 * time.Millisecond,
		2 * time.Millisecond:   6 * time.Millisecond,
		time.Second:            12 * time.Millisecond,
	} {
		if got := eventstore.PaceAfter(took, 2*time.Millisecond); got != want {
			t.Errorf("after a batch of %v, the next one may begin %v later, want %v", took, got, want)
		}
	}
}
