package eventstore_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/projections"
)

// notes is a read model that follows notes and is not kept.
type notes struct{ projections.Projection }

func (notes) Name() string           { return "follower" }
func (notes) Follows() []event.Event { return []event.Event{eventtest.Noted{}} }

// watching is a watch of notes, which a read model follows, and of counts, which none does.
func (x follower) watching() *eventstore.Watch {
	return &eventstore.Watch{
		DB: x.Pool, Tail: x.tail, Follows: []event.Event{eventtest.Noted{}, eventtest.Counted{}}, Shows: []projections.Follower{notes{}},
	}
}

func lookOf(t *testing.T, w *eventstore.Watch) (s eventstore.Sight, seen []int64) {
	t.Helper()
	s, err := w.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range s.Events {
		seen = append(seen, e.Idx)
	}
	return s, seen
}

func wantLook(t *testing.T, w *eventstore.Watch, reset bool, upto int64, want ...int64) {
	t.Helper()
	if s, seen := lookOf(t, w); s.Reset != reset || s.Upto != upto || !slices.Equal(seen, want) {
		t.Errorf("reset %v up to %d: %v, want %v up to %d: %v", s.Reset, s.Upto, seen, reset, upto, want)
	}
}

func TestWatchWaitsForReadModels_D87(t *testing.T) {
	t.Parallel()
	x := newFollower(t)
	enginetest.Execute(t, x.db.AdminURL, `INSERT INTO feed_offsets (consumer) VALUES ('follower')`)
	w := x.watching()
	noted, counted := eventtest.Noted{Note: "x"}, eventtest.Counted{}
	x.Append(t, enginetest.NewStream(), 0, counted, noted, counted)
	x.Drain(t)
	wantLook(t, w, true, 1, 1)
	wantLook(t, w, false, 1)
	if shown, err := w.Shown(t.Context()); err != nil || shown != 0 {
		t.Errorf("shown up to %d, %v", shown, err)
	}
	enginetest.Execute(t, x.db.AdminURL, `UPDATE feed_offsets SET idx = 2`)
	wantLook(t, w, false, 3, 2, 3)
	if shown, err := w.Shown(t.Context()); err != nil || shown != 2 {
		t.Errorf("shown up to %d, %v", shown, err)
	}
	// A newer program knows the event, and its followers.
	if _, err := x.Pool.Exec(t.Context(), `INSERT INTO events (id, tenant, stream, version, name, data, metadata, recorded_at)
		VALUES ($1, 'elm-street', $2, 1, 'test.newer.v1', '{}', '{}', now())`, uuid.New(), uuid.New()); err != nil {
		t.Fatal(err)
	}
	x.Append(t, enginetest.NewStream(), 0, counted)
	x.Drain(t)
	wantLook(t, w, false, 5, 5)
	wantLook(t, x.watching(), true, 5, 1, 2, 3, 5)
}

func TestWatchRestartsInAnotherHistory_D87(t *testing.T) {
	t.Parallel()
	x := newFollower(t)
	enginetest.Execute(t, x.db.AdminURL, `INSERT INTO feed_offsets (consumer, idx) VALUES ('follower', 1000000)`)
	w := x.watching()
	x.AppendMany(t, 20)
	x.Drain(t)
	wantLook(t, w, true, 20, idxUpTo(20)...)
	x.takeBack(t, 6, 0)
	x.AppendMany(t, 3)
	x.Drain(t)
	// The epoch's own event is among them, and is none that the watch returns.
	if s, seen := lookOf(t, w); !s.Reset || s.Upto != 10 || len(seen) != 9 {
		t.Errorf("reset %v up to %d: %v", s.Reset, s.Upto, seen)
	}
	x.AppendMany(t, 30)
	x.Drain(t)
	if s, _ := lookOf(t, w); s.Reset || s.Upto != 40 {
		t.Errorf("then: reset %v up to %d", s.Reset, s.Upto)
	}
}
