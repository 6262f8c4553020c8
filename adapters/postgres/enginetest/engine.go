package enginetest

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/background"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/epoch"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

// Noon is the time of an engine's clock.
var Noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// AtNoon is a clock that shows noon.
func AtNoon() time.Time { return Noon }

// Engine is a store, a sequencer and the log on a database of the test's own.
type Engine struct {
	Pool     *pgxpool.Pool
	Store    *eventstore.Store
	Log      eventstore.Log
	Appended *background.Broadcast
	Grown    *background.Broadcast
}

// On returns an engine on a database at a URL.
func On(t testing.TB, url string) *Engine {
	t.Helper()
	codec, err := event.NewCodec(append(eventtest.Events(), epoch.Events()...)...)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := postgres.NewPool(context.WithoutCancel(t.Context()), url, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	e := &Engine{Pool: pool, Appended: &background.Broadcast{}, Grown: &background.Broadcast{}}
	e.Store = &eventstore.Store{DB: postgres.On(pool), Codec: codec, Now: AtNoon, Appended: e.Appended}
	e.Log = eventstore.Log{DB: pool, Codec: codec, Page: 7}
	return e
}

// Durable is a migrated database on a cluster that flushes to disk, as in
// production, with a pool of connections.
func Durable(b *testing.B, connections int32) (admin *pgxpool.Pool, adminURL string, e *Engine) {
	b.Helper()
	server := postgrestest.Cluster(b)
	adminURL = server.URL("frontdesk", embedded.Superuser)
	url := fmt.Sprintf("%s&pool_max_conns=%d&pool_min_conns=%d", server.URL("frontdesk", "frontdesk_app"), connections, connections)
	admin, err := postgres.NewPool(b.Context(), adminURL, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(admin.Close)
	return admin, adminURL, On(b, url)
}

// Sequencer returns another sequencer of the log.
func (e *Engine) Sequencer() *eventstore.Sequencer {
	return eventstore.NewSequencer(e.Pool, e.Appended, e.Grown, slog.New(slog.DiscardHandler))
}

// Drain puts everything that was appended into the log.
func (e *Engine) Drain(t testing.TB) {
	t.Helper()
	if err := e.Sequencer().Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// RunUntilCleanup calls run in the background and waits for its end.
func RunUntilCleanup(t testing.TB, run func(context.Context)) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var group sync.WaitGroup
	group.Go(func() { run(ctx) })
	stop = func() { cancel(); group.Wait() }
	t.Cleanup(stop)
	return stop
}

// Append stores events in one stream, from a version on.
func (e *Engine) Append(t testing.TB, stream event.Stream, expected int, events ...event.Event) {
	t.Helper()
	if _, err := e.Store.Append(t.Context(), event.Change{Stream: stream, Expected: expected, Events: events}); err != nil {
		t.Fatal(err)
	}
}

// AppendMany stores n events in a new stream, one after another.
func (e *Engine) AppendMany(t testing.TB, n int) {
	t.Helper()
	stream := NewStream()
	for i := range n {
		e.Append(t, stream, i, eventtest.Counted{N: i})
	}
}

// NewStream returns an empty stream of Elm Street.
func NewStream() event.Stream { return event.Stream{Tenant: "elm-street", ID: uuid.New()} }

// Logged is the whole log.
func (e *Engine) Logged(t testing.TB) []event.Recorded {
	t.Helper()
	var all []event.Recorded
	for recorded, err := range e.Log.After(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, recorded)
	}
	return all
}
