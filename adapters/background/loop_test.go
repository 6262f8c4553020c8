package background_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
)

// begun runs a loop for a time, and returns its start times.
func begun(t *testing.T, l background.Loop, long time.Duration) (at []time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	watch, do := clock.Start(), l.Do
	l.Do = func(ctx context.Context) error {
		at = append(at, watch.Elapsed())
		return do(ctx)
	}
	l.Run(ctx)
	if watch.Elapsed() != long {
		t.Errorf("the loop ran for %s, want %s", watch.Elapsed(), long)
	}
	return at
}

func TestLoopTicks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := background.Loop{Every: 10 * time.Second, Do: func(context.Context) error {
			time.Sleep(3 * time.Second)
			return nil
		}}
		if at, want := begun(t, l, 25*time.Second), []time.Duration{0, 10 * time.Second, 20 * time.Second}; !slices.Equal(at, want) {
			t.Errorf("began at %v, want %v", at, want)
		}
		l.Pace = 8 * time.Second // work and rest take 11 s
		if at, want := begun(t, l, 25*time.Second), []time.Duration{0, 11 * time.Second, 22 * time.Second}; !slices.Equal(at, want) {
			t.Errorf("with a pace, began at %v, want %v", at, want)
		}
	})
}

// A wake-up during the work is not lost, and waits for the pace.
func TestLoopIsWoken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var arrived background.Broadcast
		works := 0
		l := background.Loop{Every: time.Hour, Pace: time.Second, Wake: arrived.Next, Do: func(context.Context) error {
			if works++; works == 1 {
				arrived.Notify()
			}
			return nil
		}}
		go func() {
			time.Sleep(10 * time.Second)
			arrived.Notify()
		}()
		want := []time.Duration{0, time.Second, 10 * time.Second}
		if at := begun(t, l, time.Minute); !slices.Equal(at, want) {
			t.Errorf("began at %v, want %v", at, want)
		}
	})
}

func TestLoopRetriesAndWarns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var arrived background.Broadcast
		var lines bytes.Buffer
		works := 0
		l := background.Loop{
			Every: time.Hour, Retry: 5 * time.Second, Wake: arrived.Next, Fails: "sweeping failed", Log: slog.New(slog.NewTextHandler(&lines, nil)),
			Do: func(context.Context) error {
				if works++; works < 3 {
					arrived.Notify() // does not wake a loop that has failed
					return errors.New("the database is away")
				}
				return nil
			},
		}
		want := []time.Duration{0, 5 * time.Second, 10 * time.Second}
		if at := begun(t, l, time.Minute); !slices.Equal(at, want) {
			t.Errorf("began at %v, want %v", at, want)
		}
		if n := strings.Count(lines.String(), `level=WARN msg="sweeping failed; retrying" error="the database is away"`); n != 2 {
			t.Errorf("warned %d times of 2 failures: %s", n, &lines)
		}
	})
}

func TestLoopEndsSilently(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var lines bytes.Buffer
		l := background.Loop{Every: time.Hour, Fails: "sweeping failed", Log: slog.New(slog.NewTextHandler(&lines, nil)), Do: func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}}
		if at := begun(t, l, time.Minute); len(at) != 1 || lines.Len() > 0 {
			t.Errorf("worked %d times and logged %q, want once and nothing", len(at), &lines)
		}
	})
}
