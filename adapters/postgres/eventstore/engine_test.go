package eventstore_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/event"
)

// engine is an engine with the tail of one process.
type engine struct {
	*enginetest.Engine
	tail *eventstore.Tail
}

func newEngine(t testing.TB) *engine {
	t.Helper()
	return engineOn(t, postgrestest.New(t).URL)
}

func engineOn(t testing.TB, url string) *engine {
	t.Helper()
	return withTail(enginetest.On(t, url))
}

func withTail(of *enginetest.Engine) *engine {
	e := &engine{Engine: of}
	e.tail = e.newTail(e.Store.Codec)
	return e
}

// sequence runs a sequencer until the test ends.
func (e *engine) sequence(t testing.TB) {
	t.Helper()
	enginetest.RunUntilCleanup(t, e.Sequencer().Run)
}

// wantCausal fails unless idx is dense and each stream's versions ascend by one.
func wantCausal(t testing.TB, log []event.Recorded) {
	t.Helper()
	version := map[uuid.UUID]int{}
	for i, e := range log {
		if e.Idx != int64(i)+1 {
			t.Fatalf("event %d has idx %d", i+1, e.Idx)
		}
		if e.Version != version[e.Stream.ID]+1 {
			t.Fatalf("idx %d: version %d of stream %s follows version %d", e.Idx, e.Version, e.Stream.ID, version[e.Stream.ID])
		}
		version[e.Stream.ID] = e.Version
	}
}

// newTail returns the tail of another process.
func (e *engine) newTail(codec *event.Codec) *eventstore.Tail {
	return eventstore.NewTail(e.Pool, codec, e.Grown)
}

// each is a handler of one event after another.
func each(handle func(context.Context, *pgx.Conn, event.Recorded) error) eventstore.Handler {
	return func(ctx context.Context, conn *pgx.Conn, page []event.Recorded) error {
		for _, e := range page {
			if err := handle(ctx, conn, e); err != nil {
				return err
			}
		}
		return nil
	}
}

// consumer is a consumer with a pace for tests.
func (e *engine) consumer(name string, handler eventstore.Handler) *eventstore.Consumer {
	return &eventstore.Consumer{
		Name: name, DB: stdlib.OpenDBFromPool(e.Pool), Tail: e.tail, Handler: handler,
		Log: slog.New(slog.DiscardHandler), Retry: 10 * time.Millisecond,
	}
}

// recorder is a handler that records its events in a table of the same database, and so in
// the same transaction.
type recorder struct {
	mu     sync.Mutex
	before func(context.Context, event.Recorded) error // may fail after the row is written
}

func newRecorder(t testing.TB, db *postgrestest.Database) *recorder {
	t.Helper()
	_, err := db.AdminPool(t).Exec(t.Context(), `
		CREATE TABLE handled (idx bigint NOT NULL, n serial);
		GRANT ALL ON handled TO frontdesk_app; GRANT ALL ON handled_n_seq TO frontdesk_app`)
	if err != nil {
		t.Fatal(err)
	}
	return &recorder{}
}

func (r *recorder) handle(ctx context.Context, conn *pgx.Conn, page []event.Recorded) error {
	idx := make([]int64, len(page))
	for n, e := range page {
		idx[n] = e.Idx
	}
	if _, err := conn.Exec(ctx, `INSERT INTO handled (idx) SELECT unnest($1::bigint[])`, idx); err != nil {
		return err
	}
	r.mu.Lock()
	before := r.before
	r.mu.Unlock()
	for _, e := range page {
		if before == nil {
			break
		}
		if err := before(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

func (r *recorder) handleOne(ctx context.Context, conn *pgx.Conn, e event.Recorded) error {
	return r.handle(ctx, conn, []event.Recorded{e})
}

func (r *recorder) set(before func(context.Context, event.Recorded) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.before = before
}

// handled returns the idx of events that are handled and committed, in order of handling.
func (e *engine) handled(t testing.TB) []int64 {
	t.Helper()
	var idx []int64
	if err := e.Pool.QueryRow(t.Context(), `SELECT coalesce(array_agg(idx ORDER BY n), '{}') FROM handled`).Scan(&idx); err != nil {
		t.Fatal(err)
	}
	return idx
}

// idxUpTo is 1, 2, …, n.
func idxUpTo(n int64) []int64 {
	var all []int64
	for i := range n {
		all = append(all, i+1)
	}
	return all
}

func (e *engine) eventuallyHandled(t testing.TB, want []int64) {
	t.Helper()
	clocktest.Eventually(t, func() bool { return slices.Equal(e.handled(t), want) }, "everything is handled once, in order")
}
