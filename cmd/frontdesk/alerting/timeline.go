package alerting

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Between two scrapes, and between two evaluations, is a minute. On a time line of days it
// is five, so that it is evaluated within seconds: windows of five minutes then have two scrapes.
const (
	step     = time.Minute
	longStep = 5 * time.Minute
	long     = 24 * time.Hour
)

// Phase is a time in which one thing is so.
type Phase struct {
	Name    string
	Lasts   time.Duration // on the time line: whole steps
	Scrapes [][]Scrape    // the real observations: in each row, one scrape of each target

	// Renewed are parts of series' names and labels. Their time stamps did not move, because
	// their events are not due within seconds, but would be within the phase. They keep their
	// age.
	Renewed []string
}

// Timeline is a sequence of phases, as Prometheus would store them.
type Timeline struct {
	rules  Rules
	wanted map[string]bool // metrics that rules query
	phases []Phase
	step   time.Duration
	steps  int
	lanes  map[string]*lane // by series
}

// NewTimeline returns the time line of some phases, on which rules will be evaluated.
func NewTimeline(rules Rules, phases ...Phase) *Timeline {
	l := &Timeline{rules: rules, wanted: map[string]bool{}, lanes: map[string]*lane{}, step: step}
	for _, name := range rules.Metrics() {
		l.wanted[name] = true
	}
	if slices.ContainsFunc(phases, func(p Phase) bool { return p.Lasts >= long }) {
		l.step = longStep
	}
	for _, phase := range phases {
		l.add(phase)
	}
	return l
}

// add lays a phase after the others.
func (l *Timeline) add(phase Phase) {
	rows := make([]map[string]timedSample, len(phase.Scrapes))
	for i, row := range phase.Scrapes {
		rows[i] = l.series(row)
		for name := range rows[i] {
			if l.lanes[name] == nil {
				l.lanes[name] = newLane(name, l.step, l.steps)
			}
		}
	}
	steps := int(phase.Lasts / l.step)
	for _, name := range slices.Sorted(maps.Keys(l.lanes)) {
		points := make([]*timedSample, len(rows))
		for i, row := range rows {
			if point, ok := row[name]; ok {
				points[i] = &point
			}
		}
		renewed := slices.ContainsFunc(phase.Renewed, func(part string) bool { return strings.Contains(name, part) })
		l.lanes[name].lay(points, l.steps, steps, renewed)
	}
	l.phases, l.steps = append(l.phases, phase), l.steps+steps
}

// timedSample is a sample with its time.
type timedSample struct {
	Sample
	at time.Time
}

// series are those of a row of scrapes that rules query, and up.
func (l *Timeline) series(row []Scrape) map[string]timedSample {
	all := map[string]timedSample{}
	for _, scrape := range row {
		up := Sample{}
		if scrape.Up {
			up.Value = 1
		}
		all[series("up", scrape.labels(nil))] = timedSample{up, scrape.At}
		for name, sample := range scrape.Series {
			if l.wanted[metric(name)] {
				all[name] = timedSample{sample, scrape.At}
			}
		}
	}
	return all
}

// Unmoved are the series of a phase whose time stamps or ages did not move during the
// scrapes.
func (p Phase) Unmoved() (unmoved []string) {
	points := map[string][]*timedSample{}
	for _, row := range p.Scrapes {
		for _, scrape := range row {
			for name, sample := range scrape.Series {
				points[name] = append(points[name], &timedSample{sample, scrape.At})
			}
		}
	}
	for name, points := range points {
		l := newLane(name, step, 0)
		if l.kind != plain && len(points) == len(p.Scrapes) && l.unmoved(points) {
			unmoved = append(unmoved, name)
		}
	}
	return unmoved
}
