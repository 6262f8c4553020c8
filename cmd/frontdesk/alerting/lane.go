package alerting

import (
	"math"
	"slices"
	"strings"
	"time"
)

// lane is one series on the time line.
type lane struct {
	values []float64 // one a step; NaN where the series is stale
	kind   kind
	step   float64 // seconds

	was  *timedSample // at the last scrape that had it
	then float64      // the counter's value, or the time stamp, on the time line
}

type kind int

const (
	plain   kind = iota
	instant      // seconds since 1970
	age          // seconds since an instant
)

func newLane(series string, step time.Duration, steps int) *lane {
	l := &lane{step: step.Seconds()}
	switch name := metric(series); {
	case strings.HasSuffix(name, "_timestamp_seconds"), strings.HasSuffix(name, "_until_seconds"), strings.HasSuffix(name, "_cert_expiry"):
		l.kind = instant
	case strings.HasSuffix(name, "_age_seconds"), strings.HasSuffix(name, "_lag_seconds"):
		l.kind = age
	}
	l.stale(steps)
	return l
}

func (l *lane) stale(steps int) {
	for range steps {
		l.values = append(l.values, math.NaN())
	}
}

// lay adds a phase of that many steps. The points are the series' observations; a point is
// nil where a scrape lacked it.
func (l *lane) lay(points []*timedSample, from, steps int, renewed bool) {
	first, last := ends(points)
	switch {
	case first == nil:
		l.stale(steps)
		return
	case last.Counter:
		l.count(points, *first, *last, steps)
	case l.kind != plain && !renewed && l.unmoved(points):
		l.keep(points, *first, from, steps)
	default:
		l.repeat(points, from, steps)
	}
	l.was = last
}

func ends(points []*timedSample) (first, last *timedSample) {
	for _, p := range points {
		if p == nil {
			continue
		}
		if first == nil {
			first = p
		}
		last = p
	}
	return first, last
}

// count continues at the observed pace. The first steps are missing if the first scrapes
// lacked the series.
func (l *lane) count(points []*timedSample, first, last timedSample, steps int) {
	value := first.Value
	if l.was != nil && first.Value >= l.was.Value {
		value = l.then + first.Value - l.was.Value
	}
	pace := 0.0
	if took := last.at.Sub(first.at); took > 0 {
		pace = max(0, last.Value-first.Value) / took.Seconds() * l.step
	}
	for i := range steps {
		if i < len(points) && points[i] == nil {
			l.stale(1)
			continue
		}
		l.values = append(l.values, value)
		value += pace
	}
	l.then = value
}

// moment is the instant that a point denotes, and its age when it was seen.
func (l *lane) moment(p timedSample) (unix, old float64) {
	now := float64(p.at.UnixNano()) / float64(time.Second)
	if l.kind == age {
		return now - p.Value, p.Value
	}
	return p.Value, now - p.Value
}

// sameMoment is the tolerance of an instant that does not move: ages are read a moment after
// the scrape began.
const sameMoment = 0.9

// unmoved reports whether the instant was the same from the first scrape to the last. A point
// that one of them lacked has come or gone meanwhile.
func (l *lane) unmoved(points []*timedSample) bool {
	return !slices.Contains(points, nil) && l.same(*points[0], *points[len(points)-1])
}

func (l *lane) same(first, last timedSample) bool {
	a, _ := l.moment(first)
	b, _ := l.moment(last)
	return math.Abs(b-a) < sameMoment
}

// keep keeps the instant where it is.
func (l *lane) keep(points []*timedSample, first timedSample, from, steps int) {
	unix, old := l.moment(first)
	stood := float64(from)*l.step - old
	if l.was != nil && l.same(*l.was, first) {
		stood = l.then
	}
	if l.kind == instant && unix == 0 {
		stood = 0 // "never", whatever the time
	}
	for i := range steps {
		value := stood
		if l.kind == age {
			value = float64(from+i)*l.step - stood
		}
		if points[i%len(points)] == nil {
			value = math.NaN()
		}
		l.values = append(l.values, value)
	}
	l.then = stood
}

// repeat lays the observations in turn. An instant keeps its age.
func (l *lane) repeat(points []*timedSample, from, steps int) {
	for i := range steps {
		p := points[i%len(points)]
		if p == nil {
			l.stale(1)
			continue
		}
		value := p.Value
		if l.kind == instant {
			_, old := l.moment(*p)
			value = float64(from+i)*l.step - old
		}
		l.values = append(l.values, value)
		_, old := l.moment(*p)
		l.then = float64(from+i)*l.step - old
	}
}
