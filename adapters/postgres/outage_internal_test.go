package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/adapters/clock"
)

// database is one that is away until an instant, and counts who asks.
type database struct {
	until time.Time
	asked atomic.Int64
}

func (d *database) ask() error {
	d.asked.Add(1)
	if clock.System().Before(d.until) {
		return fmt.Errorf("%w (starting)", ErrUnavailable)
	}
	return nil
}

func TestShortOutageIsBridged_D48(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		away, db := &outage{short: bridged}, &database{until: clock.Deadline(bridged - time.Millisecond)}
		var callers sync.WaitGroup
		for n := range 1000 { // one comes every 2 ms, through all of the outage
			callers.Go(func() {
				time.Sleep(time.Duration(n) * 2 * time.Millisecond)
				if err := away.bridge(t.Context(), db.ask); err != nil {
					t.Errorf("caller %d: %v", n, err)
				}
				away.over()
			})
		}
		callers.Wait()
		looks := db.asked.Load() - 1000 // without the first of each
		if most := int64(1000 + bridged/lookEvery + 1); looks > most {
			t.Errorf("the database was asked %d times more, want at most %d", looks, most)
		}
	})
}

// Otherwise the callers of a database that stays away would take all slots.
func TestLongOutageFailsAtOnce_D48(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		away, db := &outage{short: bridged}, &database{until: clock.Deadline(time.Hour)}
		for range 100 { // callers come all the time, so it is the same outage
			go func() { _ = away.bridge(t.Context(), db.ask) }()
			time.Sleep(bridged / 50)
		}
		before, began := db.asked.Load(), clock.Start()
		err := away.bridge(t.Context(), db.ask)
		if !errors.Is(err, ErrUnavailable) || db.asked.Load() != before+1 || began.Elapsed() > 0 {
			t.Errorf("asked %d times in %s: %v", db.asked.Load()-before, began.Elapsed(), err)
		}
		time.Sleep(2 * bridged) // no call for a while: the next failure is another outage
		db.until = clock.Deadline(bridged / 2)
		if err := away.bridge(t.Context(), db.ask); err != nil {
			t.Errorf("the next outage is not bridged: %v", err)
		}
	})
}

func TestCancelledCallerDoesNotWait_D48(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithTimeout(t.Context(), time.Millisecond)
		defer leave()
		away, db, began := &outage{short: bridged}, &database{until: clock.Deadline(time.Hour)}, clock.Start()
		if err := away.bridge(ctx, db.ask); err == nil || began.Elapsed() > lookEvery {
			t.Errorf("waited %s: %v", began.Elapsed(), err)
		}
	})
}
