package alerting_test

import (
	"flag"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"frontdesk/cmd/frontdesk/alerting"
	"frontdesk/cmd/frontdesk/app"
)

// TestMain runs more tests at once than there are threads: each waits most of the time.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0))); err != nil { // most only wait
		panic(err)
	}
	os.Exit(m.Run())
}

// cause is one thing that goes wrong, and the alerts that are right to fire for it.
type cause struct {
	fires []string
	with  func(w *world)           // starts additional processes before everything else; nil for none
	edit  func(config *app.Config) // how it serves; nil for the usual
	wrong func(w *world)           // creates the cause; nil if none is needed
	never bool                     // retain was never run, so it is wrong from the start
	fix   func(w *world)           // nil if it has no fix
	lasts time.Duration            // on the time line; 0 for the usual
	still []string                 // alerts that still fire an hour after the fix
	slow  bool                     // takes so long that only make prove runs it
	renew []string                 // time stamps whose work comes round meanwhile: see [alerting.Phase]
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

// causes are named by a clause that describes them.
var causes = merged(processCauses, callCauses, logCauses, webhookCauses, recordCauses, proofCauses, relayCauses, surroundingsCauses)

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
