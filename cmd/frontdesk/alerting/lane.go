package alerting

import (
	"math"
	"strings"
	"time"
)

// lane is one series on the time line.
type lane struct {
	values []float64 // one a step; NaN where the series is stale
	kind   kind

	was  *seen   // at the last scrape that had it
	then float64 // what it was laid as: a counter's value, or a time stamp on the time line
}

type kind int

const (
	plain   kind = iota
	instant      // seconds since 1970
	age          // seconds since an instant
)

func newLane(series string, steps int) *lane {
	l := &lane{}
	switch name := metric(series); {
	case strings.HasSuffix(name, "_timestamp_seconds"), strings.HasSuffix(name, "_until_seconds"):
		l.kind = instant
	case strings.HasSuffix(name, "_age_seconds"):
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

// lay adds a phase of so many steps, in which the series was seen as the points say; a
// point is nil where a scrape lacked it.
func (l *lane) lay(points []*seen, from, steps int) {
	first, last := ends(points)
	switch {
	case first == nil:
		l.stale(steps)
		return
	case last.Counter:
		l.count(points, *first, *last, steps)
	case l.kind != plain && l.stood(*first, *last):
		l.stand(points, *first, from, steps)
	default:
		l.repeat(points, from, steps)
	}
	l.was = last
}

func ends(points []*seen) (first, last *seen) {
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

// count goes on at the pace that was seen. The first steps are missing if the first
// scrapes lacked the series.
func (l *lane) count(points []*seen, first, last seen, steps int) {
	value := first.Value
	if l.was != nil && first.Value >= l.was.Value {
		value = l.then + first.Value - l.was.Value
	}
	pace := 0.0
	if took := last.at.Sub(first.at); took > 0 {
		pace = max(0, last.Value-first.Value) / took.Seconds() * Step.Seconds()
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

// moment is the instant that a point tells of, and its age when it was seen.
func (l *lane) moment(p seen) (unix, old float64) {
	now := float64(p.at.UnixNano()) / float64(time.Second)
	if l.kind == age {
		return now - p.Value, p.Value
	}
	return p.Value, now - p.Value
}

// sameMoment is how far an instant moves if it stands: ages are read a moment after the scrape began.
const sameMoment = 0.9

// stood reports whether the instant was the same at both. Seen once, nobody knows that it moves.
func (l *lane) stood(first, last seen) bool {
	a, _ := l.moment(first)
	b, _ := l.moment(last)
	return math.Abs(b-a) < sameMoment
}

// stand has the instant stay where it is.
func (l *lane) stand(points []*seen, first seen, from, steps int) {
	unix, old := l.moment(first)
	stood := float64(from)*Step.Seconds() - old
	if l.was != nil && l.stood(*l.was, first) {
		stood = l.then
	}
	if l.kind == instant && unix == 0 {
		stood = 0 // "never", whatever the time
	}
	for i := range steps {
		value := stood
		if l.kind == age {
			value = float64(from+i)*Step.Seconds() - stood
		}
		if points[i%len(points)] == nil {
			value = math.NaN()
		}
		l.values = append(l.values, value)
	}
	l.then = stood
}

// repeat lays what was seen in turn. An instant keeps its age.
func (l *lane) repeat(points []*seen, from, steps int) {
	for i := range steps {
		p := points[i%len(points)]
		if p == nil {
			l.stale(1)
			continue
		}
		value := p.Value
		if l.kind == instant {
			_, old := l.moment(*p)
			value = float64(from+i)*Step.Seconds() - old
		}
		l.values = append(l.values, value)
		_, old := l.moment(*p)
		l.then = float64(from+i)*Step.Seconds() - old
	}
}
