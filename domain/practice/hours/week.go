package hours

import (
	"cmp"
	"slices"
	"time"
)

const (
	day  = 24 * time.Hour
	week = 7 * day
)

// Week is the opening hours of every week, in the order of their opening, from
// Monday on. A week without any is open at all hours.
type Week []Interval

// Parse parses the intervals of a week, in any order; see [ParseInterval]. It returns
// [ErrOverlap] if two of them overlap.
func Parse(texts []string) (Week, error) {
	var w Week
	for _, text := range texts {
		i, err := ParseInterval(text)
		if err != nil {
			return nil, err
		}
		w = append(w, i)
	}
	slices.SortFunc(w, func(a, b Interval) int { return cmp.Compare(a.from(), b.from()) })
	return w, w.checkOverlap()
}

// checkOverlap compares each interval with the next, and the last with the first of the
// next week.
func (w Week) checkOverlap() error {
	for n, i := range w {
		next := w[(n+1)%len(w)]
		begins := next.from()
		if n == len(w)-1 {
			begins += week
		}
		if i.until() > begins {
			return ErrOverlap.With("%q must not overlap %q.", i, next)
		}
	}
	return nil
}

// Texts returns the week in the form that [Parse] parses.
func (w Week) Texts() []string {
	texts := make([]string, len(w))
	for n, i := range w {
		texts[n] = i.String()
	}
	return texts
}

// Next returns the first instant, not before t, at which the week is open in a time
// zone. It is t itself if the week is open then.
func (w Week) Next(t time.Time, zone *time.Location) time.Time { return firstAfter(t, zone, w.wait) }

// Until returns the first instant, not before t, at which the week is not open in a
// time zone. It is t itself if the week is not open then, and zero if the week is
// always open.
func (w Week) Until(t time.Time, zone *time.Location) time.Time {
	if w.lasts(0) == week {
		return time.Time{}
	}
	return firstAfter(t, zone, w.lasts)
}

// firstAfter adds to t the duration that takes returns for a moment of a week.
//
// Local time is continuous between two changes of the zone's clocks; so it handles each
// such period separately. A period of at least a week contains the result.
func firstAfter(t time.Time, zone *time.Location, takes func(moment time.Duration) time.Duration) time.Time {
	for {
		wall := t.In(zone)
		found := t.Add(takes(sinceMonday(wall)))
		_, change := wall.ZoneBounds()
		if change.IsZero() || found.Before(change) {
			return found
		}
		t = change
	}
}

// sinceMonday returns the local time since the beginning of its week.
func sinceMonday(wall time.Time) time.Duration {
	hour, minute, second := wall.Clock()
	return time.Duration((int(wall.Weekday())+6)%7)*day +
		time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute +
		time.Duration(second)*time.Second + time.Duration(wall.Nanosecond())
}

// wait returns the duration from a moment of a week until it is open, if no clock is
// changed meanwhile.
func (w Week) wait(moment time.Duration) time.Duration {
	if len(w) == 0 {
		return 0
	}
	shortest := week
	for _, i := range w {
		sinceOpening := (moment - i.from() + week) % week
		if sinceOpening < i.until()-i.from() {
			return 0
		}
		shortest = min(shortest, week-sinceOpening)
	}
	return shortest
}

// lasts returns how long the week stays open from a moment of it, if no clock is
// changed meanwhile: 0 if it is not open then, and a week if it is always open.
func (w Week) lasts(moment time.Duration) (open time.Duration) {
	if len(w) == 0 {
		return week
	}
	for range w { // one interval may begin where another ends
		for _, i := range w {
			sinceOpening := (moment + open - i.from() + week) % week
			if left := i.until() - i.from() - sinceOpening; left > 0 {
				open += left
			}
		}
	}
	return min(open, week)
}
