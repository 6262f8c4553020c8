package postgres

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestGapsAreLookedAtWhenThereMayBeSomeAndNotTooOften(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		watch gapWatch
		looks int
	}{
		"nobody knows yet":  {gapWatch{}, 1},
		"there are none":    {gapWatch{none: true}, 0},
		"looked just now":   {gapWatch{looked: time.Now()}, 0},
		"looked a time ago": {gapWatch{looked: time.Now().Add(-watchEvery)}, 1},
	} {
		var batch pgx.Batch
		c.watch.queue(&batch)
		if batch.Len() != c.looks {
			t.Errorf("%s: %d looks, want %d", name, batch.Len(), c.looks)
		}
		c.watch.queue(&batch)
		if batch.Len() != c.looks {
			t.Errorf("%s: it looks again at once", name)
		}
	}
}
