package eventstore_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

func TestFailedEventStopsOnlyItsConsumer(t *testing.T) {
	t.Parallel()
	e, recorder := consuming(t)
	failed := make(chan struct{}, 100)
	recorder.set(func(_ context.Context, r event.Recorded) error {
		if r.Idx == 3 {
			failed <- struct{}{}
			return errors.New("never")
		}
		return nil
	})
	var others atomic.Int64
	count := each(func(context.Context, *pgx.Conn, event.Recorded) error { others.Add(1); return nil })
	e.AppendMany(t, 5)
	enginetest.RunUntilCleanup(t, e.consumer("stuck", recorder.handle).Run)
	enginetest.RunUntilCleanup(t, e.consumer("fine", count).Run)
	for range 3 {
		<-failed // again and again
	}
	clocktest.Eventually(t, func() bool { return others.Load() == 5 }, "the other consumer goes on")
	e.eventuallyHandled(t, idxUpTo(2)) // earlier events are kept, later ones wait
}

func TestUnknownEventStopsConsumer(t *testing.T) {
	t.Parallel()
	e, recorder := consuming(t)
	e.AppendMany(t, 2)
	e.Append(t, enginetest.NewStream(), 0, eventtest.Noted{Note: "from a newer program"})
	e.AppendMany(t, 2)
	e.Drain(t)

	older, err := event.NewCodec(eventtest.Counted{})
	if err != nil {
		t.Fatal(err)
	}
	registry, metrics := newMetrics(t)
	old := e.consumer("recorder", recorder.handle)
	old.Tail, old.Metrics = e.newTail(older), metrics
	stop := enginetest.RunUntilCleanup(t, old.Run)
	clocktest.Eventually(t, func() bool {
		return enginetest.Counter(t, registry, "frontdesk_consumer_stops_total") >= 2
	}, "the consumer has stopped there")
	e.eventuallyHandled(t, idxUpTo(2))
	stop()

	for _, err := range (eventstore.Log{DB: e.Pool, Codec: older}).After(t.Context(), 2) {
		if !errors.Is(err, event.ErrUnknownName) {
			t.Errorf("reading on: %v, want %v", err, event.ErrUnknownName)
		}
		break
	}
	enginetest.RunUntilCleanup(t, e.consumer("recorder", recorder.handle).Run)
	e.eventuallyHandled(t, idxUpTo(5))
}

// following is a consumer that follows one type of event.
func (e *engine) following(r *recorder) *eventstore.Consumer {
	c := e.consumer("recorder", r.handle)
	c.Follows = []event.Event{eventtest.Noted{}}
	return c
}

func TestConsumerGetsOnlyFollowedEvents(t *testing.T) {
	t.Parallel()
	e, recorder := consuming(t)
	e.Append(t, enginetest.NewStream(), 0, eventtest.Noted{Note: "first"})
	e.AppendMany(t, 150) // more than a page
	e.Append(t, enginetest.NewStream(), 0, eventtest.Noted{Note: "last"})
	e.AppendMany(t, 3)
	enginetest.RunUntilCleanup(t, e.following(recorder).Run)
	clocktest.Eventually(t, func() bool { return e.offset(t, "recorder") == 155 }, "the consumer has come to the end")
	if got := e.handled(t); !slices.Equal(got, []int64{1, 152}) {
		t.Errorf("handled %v", got)
	}
}

func (e *engine) offset(t *testing.T, consumer string) (idx int64) {
	t.Helper()
	err := e.Pool.QueryRow(t.Context(), `SELECT coalesce(max(idx), 0) FROM feed_offsets WHERE consumer = $1`, consumer).Scan(&idx)
	if err != nil {
		t.Fatal(err)
	}
	return idx
}

// An event name that this program does not know may be one that a newer program follows.
func TestUnknownEventStopsFilteredConsumer(t *testing.T) {
	t.Parallel()
	e, recorder := consuming(t)
	e.Append(t, enginetest.NewStream(), 0, eventtest.Noted{Note: "before"})
	e.AppendMany(t, 1)
	e.Append(t, enginetest.NewStream(), 0, eventtest.Noted{Note: "after"})
	older, err := event.NewCodec(eventtest.Noted{})
	if err != nil {
		t.Fatal(err)
	}
	registry, metrics := newMetrics(t)
	old := e.following(recorder)
	old.Tail, old.Metrics = e.newTail(older), metrics
	enginetest.RunUntilCleanup(t, old.Run)
	clocktest.Eventually(t, func() bool {
		return enginetest.Counter(t, registry, "frontdesk_consumer_stops_total") >= 2
	}, "the consumer has stopped there")
	e.eventuallyHandled(t, []int64{1})
}

func TestFollowingRunsAProjection(t *testing.T) {
	t.Parallel()
	e := withNotes(t)
	e.Store.AtOnce = nil
	e.sequence(t)
	enginetest.RunUntilCleanup(t, e.consumer("notes.v1", eventstore.Following(rowFor{})).Run)
	e.Append(t, enginetest.NewStream(), 0, eventtest.Noted{Note: "a"}, eventtest.Counted{}, eventtest.Noted{Note: "b"})
	clocktest.Eventually(t, func() bool { return e.count(t, "test.notes") == 2 }, "the read model has followed")
}
