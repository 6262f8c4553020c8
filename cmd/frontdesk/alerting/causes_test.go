package alerting_test

import (
	"flag"
	"os"
	"slices"
	"testing"
	"time"

	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/alerting"
	"frontdesk/cmd/frontdesk/app"
)

// TestMain runs more tests at once than there are threads: each waits most of the time.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "12"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// cause is one thing that goes wrong, and the alerts that are right to fire for it.
type cause struct {
	fires []string
	with  func(w *world)           // starts what is needed besides, before everything else; nil for nothing
	edit  func(config *app.Config) // how it serves; nil for the usual
	wrong func(w *world)           // does it; nil if there is nothing to do
	never bool                     // retain was never run, so it is wrong from the start
	mend  func(w *world)           // nil where nothing mends it
	lasts time.Duration            // on the time line; 0 for the usual
	slow  bool                     // takes so long that it is left to make prove
	renew []string                 // time stamps whose work comes round meanwhile: see [alerting.Phase]
}

// Each alert fires while its cause lasts, and no other does; neither does any before. Where
// the cause can be mended, all are silent afterwards.
func TestEachAlertFiresByItsCause_D111(t *testing.T) {
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

func TestEachAlertHasACause_D111(t *testing.T) {
	t.Parallel()
	rules, err := alerting.ReadRules(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	caused := map[string]bool{}
	for _, c := range causes {
		for _, name := range c.fires {
			caused[name] = true
		}
	}
	for _, alert := range rules.Alerts {
		if !caused[alert.Name] {
			t.Errorf("no test causes %s", alert.Name)
		}
	}
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
	if c.mend != nil {
		c.mend(w)
		w.observe(alerting.Phase{Name: "mended", Lasts: after})
	}
	w.judge()
}

func do(w *world, what func(*world)) {
	if what != nil {
		what(w)
	}
}

// causes are named by what a sentence would say of them.
var causes = merged(processCauses, callCauses, logCauses, webhookCauses, recordCauses, proofCauses, relayCauses)

func merged(all ...map[string]cause) map[string]cause {
	causes := map[string]cause{}
	for _, some := range all {
		for name, c := range some {
			slices.Sort(c.fires)
			causes[name] = c
		}
	}
	return causes
}
