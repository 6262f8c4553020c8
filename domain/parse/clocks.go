package parse

import "time"

// Day parses a day in the form 2006-01-02, and returns its first instant in a zone and
// that of the next day. They are 23, 24 or 25 hours apart.
func Day(text string, zone *time.Location) (from, until time.Time, ok bool) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return from, until, false
	}
	return begins(day, zone), begins(day.AddDate(0, 0, 1), zone), true
}

// begins returns the first instant of a day in a zone. If the clocks skip midnight,
// that is the instant of the change.
func begins(day time.Time, zone *time.Location) time.Time {
	at, ok := instantOf(day, zone)
	if !ok {
		_, at = at.ZoneBounds()
	}
	return at
}

// Clock parses a day in the form 2006-01-02 and a time in the form 15:04, in local time
// of a zone. It is not ok if the clocks skip that time on that day. A time that occurs
// twice is the first.
func Clock(day, clock string, zone *time.Location) (at time.Time, ok bool) {
	wall, err := time.Parse("2006-01-02 15:04", day+" "+clock)
	if err != nil {
		return at, false
	}
	return instantOf(wall, zone)
}

// instantOf returns the first instant at which local time in a zone equals a UTC wall time.
// If it never does, it is not ok, and the instant is before the clocks skip it.
func instantOf(wall time.Time, zone *time.Location) (at time.Time, ok bool) {
	_, before := wall.Add(-24 * time.Hour).In(zone).Zone()
	at = wall.Add(-time.Duration(before) * time.Second).In(zone)
	if sameClock(at, wall) {
		return at, true
	}
	_, after := wall.Add(24 * time.Hour).In(zone).Zone()
	later := wall.Add(-time.Duration(after) * time.Second).In(zone)
	if sameClock(later, wall) {
		return later, true
	}
	if later.Before(at) {
		at = later
	}
	return at, false
}

func sameClock(at, wall time.Time) bool {
	return at.Format(time.DateTime) == wall.Format(time.DateTime)
}
