package alerting_test

import (
	"slices"
	"testing"
	"time"

	"frontdesk/cmd/frontdesk/alerting"
)

const rulesFile = "../../../docs/operations/alerts.yaml"

// phase is what was seen, for how long it lasts on the time line, and what fires.
type phase struct {
	alerting.Phase
	fires []string // at its end
}

const (
	looks     = 6
	lookEvery = 500 * time.Millisecond // so that whole seconds pass within a phase
)

// lasts is how long a phase usually lasts on the time line: longer than any rule waits
// that does not wait for hours.
const lasts = 40 * time.Minute

// observe scrapes all processes several times.
func (w *world) observe(lasts time.Duration, fires ...string) {
	w.t.Helper()
	p := phase{alerting.Phase{Lasts: lasts}, fires}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for range looks {
		p.Scrapes = append(p.Scrapes, w.scrape())
		<-tick.C
	}
	w.observed = append(w.observed, p)
}

// scrape looks at all processes once.
func (w *world) scrape() (row []alerting.Scrape) {
	w.t.Helper()
	for _, p := range slices.Concat(w.serve, []*process{w.sign, w.relay}) {
		if p == nil {
			continue
		}
		scrape, err := alerting.Take(w.t.Context(), p.target)
		w.must(err)
		row = append(row, scrape)
	}
	return row
}

// judge evaluates the rules on all that was observed. At the end of each phase exactly what
// was said fires, and nothing else has fired at any time.
func (w *world) judge() {
	w.t.Helper()
	rules, err := alerting.ReadRules(rulesFile)
	w.must(err)
	line := alerting.NewTimeline(rules)
	var wanted [][]alerting.Expectation
	var ever []string
	var total time.Duration
	for _, p := range w.observed {
		line.Add(p.Phase)
		total += p.Lasts
		for _, name := range p.fires {
			if !slices.Contains(ever, name) {
				ever = append(ever, name)
			}
		}
		wanted = append(wanted, []alerting.Expectation{{Fire: p.fires}, {Over: total, Fire: slices.Clone(ever)}})
	}
	w.must(line.Check(w.t.Context(), wanted))
}

func TestNothingFiresInAnOrdinaryRun_D111(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.observe(2 * time.Hour)
	w.judge()
}
