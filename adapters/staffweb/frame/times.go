package frame

import (
	"math"
	"strconv"
	"time"
)

// TimeOfDay writes a time of day as the clocks of the practice show it.
func TimeOfDay(t time.Time, zone *time.Location) string { return t.In(zone).Format("3:04pm") }

// Day writes the day of an instant at the practice.
func Day(t time.Time, zone *time.Location) string { return t.In(zone).Format("2 January 2006") }

// Weekday writes the day of an instant at the practice, with that of the week.
func Weekday(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("Monday 2 January 2006")
}

// Clock writes an instant of these weeks as the clocks of the practice show it.
func Clock(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("3:04pm on Monday 2 January")
}

// Moment writes an instant that may be years ago.
func Moment(t time.Time, zone *time.Location) string {
	return TimeOfDay(t, zone) + " on " + Day(t, zone)
}

// When writes an instant by what is needed to know which is meant: today the time is
// enough, and this year the day.
func (s *Site) When(v *Visit, at time.Time) string {
	zone := v.Practice.Zone
	switch now := s.Now(); {
	case Day(at, zone) == Day(now, zone):
		return TimeOfDay(at, zone)
	case at.In(zone).Year() == now.In(zone).Year():
		return Clock(at, zone)
	}
	return Moment(at, zone)
}

// Span writes a duration as people say it, in the largest unit that divides it.
func Span(d time.Duration) string {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "hour"}, {time.Minute, "minute"}} {
		if d >= unit.size && d%unit.size == 0 {
			return Counted(int(d/unit.size), unit.name)
		}
	}
	return Counted(int(math.Ceil(d.Seconds())), "second")
}

// RoundUp makes a wait easy to read without ever making it too short.
func RoundUp(wait time.Duration) time.Duration {
	unit := time.Second
	if wait > 90*time.Second {
		unit = time.Minute
	}
	return (wait + unit - 1).Truncate(unit)
}

// Seconds writes a wait as the value of Retry-After.
func Seconds(wait time.Duration) string {
	return strconv.Itoa(int(math.Ceil(wait.Seconds())))
}
