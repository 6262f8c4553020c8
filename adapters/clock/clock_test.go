package clock_test

import (
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/adapters/clock"
)

func TestStopwatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun, watch := clock.System(), clock.Start()
		time.Sleep(time.Hour)
		if got := watch.Elapsed(); got != time.Hour {
			t.Errorf("elapsed: %s, want one hour", got)
		}
		if got := clock.System().Sub(begun); got != time.Hour {
			t.Errorf("the clock has moved by %s, want one hour", got)
		}
		if got := clock.Deadline(time.Minute).Sub(begun); got != time.Hour+time.Minute {
			t.Errorf("the deadline is %s after the start, want 1h1m0s", got)
		}
		if new(clock.Stopwatch).Started() || !watch.Started() {
			t.Errorf("started: %t without a start and %t after one, want false and true", new(clock.Stopwatch).Started(), watch.Started())
		}
		if got := new(clock.Stopwatch).Elapsed(); got < 100*365*24*time.Hour {
			t.Errorf("a stopwatch that was not started has run for %s, want for ever", got)
		}
	})
}
