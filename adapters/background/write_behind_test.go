package background_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
)

func TestWriteBehindWritesInRounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := background.WriteBehind[int]{Limit: 100, Pace: time.Second, Retry: time.Hour, Final: time.Minute, Log: slog.New(slog.DiscardHandler)}
		watch := clock.Start()
		var back atomic.Bool
		var written []int
		var at []time.Duration
		round := func(_ context.Context, _ bool) error {
			if !back.Load() {
				return errors.New("the database is away")
			}
			if first := q.First(100); len(first) > 0 {
				written, at = append(written, first...), append(at, watch.Elapsed())
				q.Remove(len(first))
			}
			return nil
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour)
		defer cancel()
		go func() {
			q.Put(1)
			time.Sleep(time.Minute)
			back.Store(true)
			q.Put(2) // does not wake a loop that has failed
			time.Sleep(2 * time.Hour)
			q.Put(3)
			time.Sleep(time.Millisecond)
			q.Put(4)
			q.Put(5)
		}()
		if err := q.Run(ctx, round); err != nil {
			t.Error(err)
		}
		want := []time.Duration{time.Hour, 2*time.Hour + time.Minute, 2*time.Hour + time.Minute + time.Second}
		if !slices.Equal(written, []int{1, 2, 3, 4, 5}) || !slices.Equal(at, want) {
			t.Errorf("wrote %v at %v, want 1 to 5 at %v", written, at, want)
		}
	})
}

func TestWriteBehindIsBounded(t *testing.T) {
	t.Parallel()
	q := background.WriteBehind[int]{Limit: 3}
	if !q.Put(1) || !q.Put(2) || !q.Put(3) || q.Put(4) {
		t.Error("the queue does not take exactly three values")
	}
	first := q.First(2)
	q.Remove(1)
	if !slices.Equal(first, []int{1, 2}) || !slices.Equal(q.First(9), []int{2, 3}) || !q.Put(5) {
		t.Errorf("after one was removed, the first were %v and %v wait", first, q.First(9))
	}
}

func TestWriteBehindEndsWithLastRound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := background.WriteBehind[int]{Limit: 3, Final: 5 * time.Second}
		q.Put(1)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		watch, rounds := clock.Start(), 0
		err := q.Run(ended, func(ctx context.Context, last bool) error {
			if rounds++; !last || q.Put(2) {
				t.Error("it is not the last round, or values are taken in it")
			}
			<-ctx.Done()
			return ctx.Err()
		})
		if !errors.Is(err, context.DeadlineExceeded) || rounds != 1 || watch.Elapsed() != 5*time.Second || len(q.First(3)) != 1 {
			t.Errorf("%d rounds in %s, %v, %v wait", rounds, watch.Elapsed(), err, q.First(3))
		}
	})
}
