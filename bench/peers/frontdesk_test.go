package peers_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/commands"
	"frontdesk/domain/epoch"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

// frontdesk is the product's parts.
type frontdesk struct {
	pool            *pgxpool.Pool
	store           *eventstore.Store
	appended, grown *background.Broadcast
}

func newFrontdesk(b *testing.B, url string) peer {
	b.Helper()
	_, err := postgres.Migrate(b.Context(), strings.Replace(url, embedded.Superuser+"@", embedded.Owner+"@", 1))
	must(b, err)
	pool, err := postgres.NewPool(b.Context(), strings.Replace(url, embedded.Superuser+"@", postgres.AppRole+"@", 1), connections)
	must(b, err)
	b.Cleanup(pool.Close)
	codec, err := event.NewCodec(append(eventtest.Events(), epoch.Events()...)...)
	must(b, err)
	f := &frontdesk{pool: pool, appended: &background.Broadcast{}, grown: &background.Broadcast{}}
	f.store = &eventstore.Store{DB: postgres.On(pool), Codec: codec, Now: clock.System, Appended: f.appended}
	return peer{name: "frontdesk", url: url, pid: ownPID, do: f.do, lacks: []string{"spread"}}
}

// do lets the sequencer run for as long as a turn takes: events that it has not placed have no
// order yet.
func (f *frontdesk) do(ctx context.Context, o order) (answer, error) {
	ctx = event.WithMetadata(ctx, metadata)
	defer inBackground(ctx, eventstore.NewSequencer(f.pool, f.appended, f.grown, quiet).Run)()
	return store{
		fill: f.fill, append: f.append, update: f.update, decide: f.decide, follow: f.follow, replay: f.replay,
	}.perform(ctx, o)
}

var (
	quiet    = slog.New(slog.DiscardHandler)
	metadata = event.Metadata{
		Actor:     event.Actor{Kind: event.ByApplication, ID: "0190c7a2-0000-7000-8000-00000000000a"},
		RequestID: "0190c7a2-0000-7000-8000-00000000000b",
	}
)

func noted(key uuid.UUID) []event.Event {
	return []event.Event{eventtest.Marked{Patient: key, Mark: note}}
}

func streamOf(id uuid.UUID) event.Stream { return event.Stream{Tenant: "elm-street", ID: id} }

func (f *frontdesk) append(ctx context.Context, key uuid.UUID) error {
	return f.change(ctx, event.Change{Stream: streamOf(key), Events: noted(key)})
}

func (f *frontdesk) update(ctx context.Context, stream uuid.UUID, version int) error {
	return f.change(ctx, event.Change{Stream: streamOf(stream), Expected: version, Events: noted(stream)})
}

func (f *frontdesk) change(ctx context.Context, changes ...event.Change) error {
	_, err := f.store.Append(ctx, changes...)
	return err
}

func (f *frontdesk) decide(ctx context.Context, stream uuid.UUID) error {
	return commands.Update(ctx, f.store, streamOf(stream), func(tally) ([]event.Event, error) { return noted(stream), nil })
}

// tally is a state that counts.
type tally int

func (t tally) Apply(event.Event) tally { return t + 1 }

func (tally) Events() []event.Event { return []event.Event{eventtest.Marked{}} }

// fill appends a hundred streams at once, and waits until all of them are in the log.
func (f *frontdesk) fill(ctx context.Context, events int) error {
	for range events / 100 {
		var changes []event.Change
		for range 100 {
			key := uuid.New()
			changes = append(changes, event.Change{Stream: streamOf(key), Events: noted(key)})
		}
		if err := f.change(ctx, changes...); err != nil {
			return err
		}
	}
	return eventstore.NewSequencer(f.pool, f.appended, f.grown, quiet).Drain(ctx)
}

func (f *frontdesk) follow(ctx context.Context, name string, handle func(uuid.UUID)) (func(), error) {
	consumer := &eventstore.Consumer{
		Name: name, DB: stdlib.OpenDBFromPool(f.pool), Tail: eventstore.NewTail(f.pool, f.store.Codec, f.grown), Log: quiet,
		Handler: func(_ context.Context, _ *pgx.Conn, page []event.Recorded) error {
			for _, e := range page {
				handle(e.Event.(eventtest.Marked).Patient)
			}
			return nil
		},
	}
	return inBackground(ctx, consumer.Run), nil
}

func (f *frontdesk) replay(ctx context.Context) (events int, err error) {
	for _, err := range (eventstore.Log{DB: f.pool, Codec: f.store.Codec}).After(ctx, 0) {
		if err != nil {
			return events, err
		}
		events++
	}
	return events, nil
}

// inBackground runs a function until it is stopped.
func inBackground(ctx context.Context, run func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() { run(ctx) })
	return func() { cancel(); group.Wait() }
}
