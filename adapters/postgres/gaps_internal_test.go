package postgres

import (
	"testing"
	"time"
)

func TestGapsAreLookedAtWhenThereMayBeSomeAndNotTooOften(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		watch gapWatch
		looks bool
	}{
		"nobody knows yet":  {gapWatch{}, true},
		"there are none":    {gapWatch{looked: time.Now().Add(-watchEvery)}, false},
		"looked just now":   {gapWatch{open: true, looked: time.Now()}, false},
		"looked a time ago": {gapWatch{open: true, looked: time.Now().Add(-watchEvery)}, true},
	} {
		if got := c.watch.look(); got != c.looks {
			t.Errorf("%s: %t, want %t", name, got, c.looks)
		}
		if c.watch.look() {
			t.Errorf("%s: it looks again at once", name)
		}
	}
}
