//go:build prove

package main_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/.ci/proofs"
)

// drillsPage has the results of the last run of each drill.
const drillsPage = "../../" + proofs.Drills

const drillsHead = `# Drills

` + "`make nightly RUN=Drills`" + ` brings a service into each of these troubles and writes this page. The service runs behind the shipped HAProxy file, and
Prometheus has the shipped targets and [rules](../operate/alerts.md). The seconds pass from the trouble to the alert. Calls are repeated
under their ` + "`Idempotency-Key`" + ` until they are answered. Calls refused meanwhile are answered later.

| trouble | rules that fired, after seconds | calls answered | refused meanwhile | lost | doubled |
|---|---|---|---|---|---|
`

// drillTable is the rows of drills that ran.
type drillTable struct {
	mu   sync.Mutex
	rows map[string]string
}

// add keeps the row of a drill that has passed.
func (d *drillTable) add(t *testing.T, name, row string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !t.Failed() {
		d.rows[name] = row
	}
}

// write replaces the rows of the drills that ran. Those of drills that there are no longer go.
func (d *drillTable) write(t *testing.T) {
	t.Helper()
	before, _ := os.ReadFile(drillsPage) // it may be the first run
	page := drillsHead
	for _, one := range drills() {
		row := d.rows[one.name]
		for line := range strings.Lines(string(before)) {
			if after, is := strings.CutPrefix(line, "| "+one.name+" |"); is && row == "" {
				row = strings.TrimSpace(after)
			}
		}
		if row != "" {
			page += "| " + one.name + " | " + strings.TrimPrefix(row, "| ") + "\n"
		}
	}
	if err := os.WriteFile(drillsPage, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
}

// drillResult is the comparison of answers with the log.
type drillResult struct{ answered, refused, lost, doubled int }

func (r drillResult) row(fired map[string]time.Duration) string {
	names := slices.SortedFunc(maps.Keys(fired), func(a, b string) int {
		return cmp.Or(cmp.Compare(fired[a], fired[b]), strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%#q %d", name, int(fired[name].Round(time.Second).Seconds()))
	}
	return fmt.Sprintf("%s | %d | %d | %d | %d |", strings.Join(names, ", "), r.answered, r.refused, r.lost, r.doubled)
}
