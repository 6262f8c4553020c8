package alerting_test

import (
	"context"
	"time"

	"frontdesk/cmd/frontdesk/app"
)

var callCauses = map[string]cause{
	"the role may not append": {
		fires: []string{"CallsFail", "BudgetIsUsed"},
		still: []string{"BudgetIsUsed"},
		wrong: func(w *world) { w.as(`REVOKE INSERT ON events FROM frontdesk_app`) },
		fix:   func(w *world) { w.as(`GRANT INSERT ON events TO frontdesk_app`) },
	},
	"a table is locked again and again": {
		fires: []string{"SlowCalls", "BudgetIsUsed"},
		still: []string{"BudgetIsUsed"},
		wrong: func(w *world) {
			w.locks("applications", 1200*time.Millisecond, 50*time.Millisecond)
			w.crowds(2, usualPause)
		},
		fix: func(w *world) { w.unlock() },
	},
	"there are four slots for many slow calls": {
		fires: []string{"CallsFail", "BudgetIsUsed"}, // most calls are refused at once
		edit:  func(c *app.Config) { c.CallsInFlight = 4 },
		wrong: func(w *world) {
			w.locks("applications", 1200*time.Millisecond, 50*time.Millisecond)
			w.crowds(20, usualPause)
		},
	},
	"a table that calls need stays locked": {
		fires: []string{"PoolIsUsedUp", "CallsFail", "SlowCalls", "BudgetIsUsed"},
		still: []string{"BudgetIsUsed"},
		edit:  func(c *app.Config) { c.CallConnections, c.CallLimit = 2, 2*time.Second },
		wrong: func(w *world) {
			w.locks("applications", 10*time.Minute, 0)
			w.crowds(12, 10*time.Millisecond) // so that a connection that is free again is taken at once
			w.until("calls are sent away", func(m metrics) bool { return m.most("frontdesk_call_seconds_count", `status="503"`) > 2 })
		},
		fix: func(w *world) {
			w.unlock()
			w.untilStable("calls that are sent away", func(m metrics) float64 { return m.most("frontdesk_call_seconds_count", `status="503"`) })
		},
	},
}

// crowds has more callers, until the locks are gone.
func (w *world) crowds(callers int, rest time.Duration) {
	for n := range callers {
		leave, unlock := w.works(n+1, rest), w.unlock
		w.unlock = func() { unlock(); leave() }
	}
}

// locks takes a table for a while, again and again, until it is unlocked.
func (w *world) locks(table string, held, free time.Duration) {
	w.unlock = w.runs(func(ctx context.Context) error {
		for ctx.Err() == nil {
			if err := w.lock(ctx, table, held); err != nil && ctx.Err() == nil {
				return err
			}
			pause(ctx, free)
		}
		return nil
	})
	pause(w.t.Context(), 200*time.Millisecond)
}

func (w *world) lock(ctx context.Context, table string, held time.Duration) error {
	tx, err := w.owner.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if _, err := tx.Exec(ctx, `LOCK TABLE `+table); err != nil {
		return err
	}
	pause(ctx, held)
	return nil
}

func pause(ctx context.Context, long time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(long):
	}
}
