//go:build prove

package alerting_test

import (
	"testing"

	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/alerting"
)

// Each alert fires while its cause lasts, and no other does; none fires before. Where the
// cause can be fixed, all are silent afterwards.
func TestProveAlertsFireByCause_D111(t *testing.T) {
	t.Parallel()
	tryAll(t, false)
}

func tryAll(t *testing.T, slow bool) {
	t.Helper()
	for name, c := range causes {
		if c.slow != slow {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.try(t)
			provetest.Tried(t, 1, "causes")
		})
	}
}

// TestProveThatSlowAlertsFireByTheirCauses is of alerts that the program is slow to give cause for.
func TestProveThatSlowAlertsFireByTheirCauses_D111(t *testing.T) { //nolint:paralleltest // its parts run side by side
	tryAll(t, true)
}

func (c cause) try(t *testing.T) {
	t.Helper()
	w := newWorld(t, c.edit)
	if !c.never {
		w.retain()
		do(w, c.with)
		w.observe(alerting.Phase{Name: "before", Lasts: before})
	}
	do(w, c.wrong)
	during := alerting.Phase{Name: "wrong", Lasts: usual, Renewed: c.renew}
	if c.lasts != 0 {
		during.Lasts = c.lasts
	}
	w.observe(during, c.fires...)
	if c.fix != nil {
		c.fix(w)
		w.observe(alerting.Phase{Name: "fixed", Lasts: after}, c.still...)
	}
	w.judge()
}

func do(w *world, what func(*world)) {
	if what != nil {
		what(w)
	}
}
