package alerting

import (
	"maps"
	"slices"
	"time"
)

// Step is the time between two scrapes on a time line, and between two evaluations.
const Step = time.Minute

// Phase is a time in which one thing is so.
type Phase struct {
	Name    string
	Lasts   time.Duration // on the time line: whole steps
	Scrapes [][]Scrape    // what was really seen: in each row, one scrape of each target
}

// Timeline is a row of phases, as Prometheus would remember them.
type Timeline struct {
	rules  Rules
	wanted map[string]bool // metrics that rules ask for
	phases []Phase
	steps  int
	lanes  map[string]*lane // by series
}

// NewTimeline returns an empty time line, on which rules will be evaluated.
func NewTimeline(rules Rules) *Timeline {
	l := &Timeline{rules: rules, wanted: map[string]bool{}, lanes: map[string]*lane{}}
	for _, name := range rules.Metrics() {
		l.wanted[name] = true
	}
	return l
}

// Add lays a phase behind those that there are.
func (l *Timeline) Add(phase Phase) {
	rows := make([]map[string]seen, len(phase.Scrapes))
	for i, row := range phase.Scrapes {
		rows[i] = l.series(row)
		for name := range rows[i] {
			if l.lanes[name] == nil {
				l.lanes[name] = newLane(name, l.steps)
			}
		}
	}
	steps := int(phase.Lasts / Step)
	for _, name := range slices.Sorted(maps.Keys(l.lanes)) {
		points := make([]*seen, len(rows))
		for i, row := range rows {
			if point, ok := row[name]; ok {
				points[i] = &point
			}
		}
		l.lanes[name].lay(points, l.steps, steps)
	}
	l.phases, l.steps = append(l.phases, phase), l.steps+steps
}

// seen is a sample and when it was taken.
type seen struct {
	Sample
	at time.Time
}

// series are those of a row of scrapes that rules ask for, and up.
func (l *Timeline) series(row []Scrape) map[string]seen {
	all := map[string]seen{}
	for _, scrape := range row {
		up := Sample{}
		if scrape.Up {
			up.Value = 1
		}
		all[series("up", scrape.labels(nil))] = seen{up, scrape.At}
		for name, sample := range scrape.Series {
			if l.wanted[metric(name)] {
				all[name] = seen{sample, scrape.At}
			}
		}
	}
	return all
}
