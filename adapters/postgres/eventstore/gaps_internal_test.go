package eventstore

import (
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/adapters/clock"
)

func TestGapsAreCheckedWhenNeeded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		past := clock.Start()
		time.Sleep(watchEvery)
		for name, c := range map[string]struct {
			watch gapWatch
			looks bool
		}{
			"not known yet":     {gapWatch{}, true},
			"there are none":    {gapWatch{looked: past}, false},
			"looked just now":   {gapWatch{open: true, looked: clock.Start()}, false},
			"looked a time ago": {gapWatch{open: true, looked: past}, true},
		} {
			if got := c.watch.look(); got != c.looks {
				t.Errorf("%s: %t, want %t", name, got, c.looks)
			}
			if c.watch.look() {
				t.Errorf("%s: it looks again at once", name)
			}
		}
	})
}
