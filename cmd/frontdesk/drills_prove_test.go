//go:build prove

package main_test

import (
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/provetest"
)

// drill is a trouble that an operator must hear of.
type drill struct {
	name   string
	fires  []string         // the rules that are right to fire; each does within two minutes
	small  string           // the part that is on a small disk: "data", "log", or "" for none
	slow   bool             // one call a second
	goesOn bool             // each call is answered 200 meanwhile
	wrong  func(d *drilled) // begins the trouble
	right  func(d *drilled) // ends it
}

// heardWithin is the most that may pass from the trouble to the alert.
const heardWithin = 2 * time.Minute

// drillsAtOnce is how many services are drilled side by side: each waits most of the time.
const drillsAtOnce = 4

// TestProveDrills_D168 brings a service into each trouble, with the proxy, the targets and the
// rules of docs/operate. Only addresses, names and the certificate are the test's own. The rules fire
// within two minutes, no call that was answered 200 is lost, and none that was repeated under
// its key is there twice. The result is in docs/contribute/drills.md.
func TestProveDrills_D168(t *testing.T) { //nolint:paralleltest // it takes the machine
	var running sync.WaitGroup
	slots, table := make(chan struct{}, drillsAtOnce), &drillTable{rows: map[string]string{}}
	for _, one := range drills() {
		running.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			t.Run(one.name, func(t *testing.T) { table.add(t, one.name, one.run(t)) })
		})
	}
	running.Wait()
	table.write(t)
}

// drills are in the order in which troubles usually come: the database, the log, its
// surroundings, the processes.
func drills() (all []drill) {
	for _, some := range [][]drill{databaseDrills, logDrills, surroundingsDrills, processDrills} {
		all = append(all, some...)
	}
	return all
}

// run returns the drill's row of the table.
func (one drill) run(t *testing.T) (row string) {
	d := newDrilled(t, one)
	d.watched(one.fires)
	d.calls.forgetRefusals()
	one.wrong(d)
	fired := d.hears(one.fires)
	one.right(d)
	found := d.compare()
	if one.goesOn && found.refused > 0 {
		t.Errorf("%d calls were not answered 200, and each should be", found.refused)
	}
	provetest.Tried(t, 1, "drills")
	provetest.Tried(t, found.answered, "calls answered")
	for _, name := range []string{"SlowCalls", "BudgetIsUsed"} { // an overloaded machine causes them, too
		delete(fired, name)
	}
	return found.row(fired)
}
