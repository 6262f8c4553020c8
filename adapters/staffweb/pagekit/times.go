package pagekit

import (
	"math"
	"strconv"
	"time"
)

// TimeOfDay formats a time of day in the practice's time zone.
func TimeOfDay(t time.Time, zone *time.Location) string { return t.In(zone).Format("3:04pm") }

// Day formats the date at the practice.
func Day(t time.Time, zone *time.Location) string { return t.In(zone).Format("2 January 2006") }

// Weekday formats the date at the practice, with the day of the week.
func Weekday(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("Monday 2 January 2006")
}

// Clock formats a recent time in the practice's time zone.
func Clock(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("3:04pm on Monday 2 January")
}

// Moment formats a time that may be years ago.
func Moment(t time.Time, zone *time.Location) string {
	return TimeOfDay(t, zone) + " on " + Day(t, zone)
}

// When formats a time as briefly as is unambiguous: only the time today, and the date
// without the year this year.
func (s *Site) When(r *Request, at time.Time) string {
	zone := r.Practice.Zone
	switch now := s.Now(); {
	case Day(at, zone) == Day(now, zone):
		return TimeOfDay(at, zone)
	case at.In(zone).Year() == now.In(zone).Year():
		return Clock(at, zone)
	}
	return Moment(at, zone)
}

// Span formats a duration in the largest unit that divides it.
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

// RoundUp rounds a wait to a readable value, never down.
func RoundUp(wait time.Duration) time.Duration {
	unit := time.Second
	if wait > 90*time.Second {
		unit = time.Minute
	}
	return (wait + unit - 1).Truncate(unit)
}

// Seconds formats a wait as the value of Retry-After.
func Seconds(wait time.Duration) string {
	return strconv.Itoa(int(math.Ceil(wait.Seconds())))
}

// ShortWhen formats a time for a column: the time today, the weekday in the last six days,
// and otherwise the date.
func (s *Site) ShortWhen(r *Request, at time.Time) string {
	zone, now := r.Practice.Zone, s.Now()
	at = at.In(zone)
	switch {
	case Day(at, zone) == Day(now, zone):
		return TimeOfDay(at, zone)
	case now.Sub(at) < 6*24*time.Hour:
		return at.Format("Mon 3:04pm")
	case at.Year() == now.In(zone).Year():
		return at.Format("2 Jan")
	}
	return at.Format("2 Jan 2006")
}

// LateRequest is the waiting time from which lists mark a request as late.
const LateRequest = 24 * time.Hour

// Waited formats a waiting time for a column, in one unit, rounded down.
func Waited(d time.Duration) string {
	switch {
	case d < time.Hour:
		return strconv.Itoa(max(0, int(d/time.Minute))) + " min"
	case d < 24*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + " h"
	}
	return Counted(int(d/(24*time.Hour)), "day")
}

// BornAndAge formats a date of birth for a list, with the age in years on a day; "" if the
// date is unknown. Anything but a date stays as it is.
func BornAndAge(date string, on time.Time) string {
	born, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	age := on.Year() - born.Year()
	if on.Month() < born.Month() || on.Month() == born.Month() && on.Day() < born.Day() {
		age--
	}
	return born.Format("2 Jan 2006") + " (" + strconv.Itoa(max(0, age)) + ")"
}

// Today is the present date at the practice, such as 2026-05-03.
func (s *Site) Today(r *Request) string { return s.Now().In(r.Practice.Zone).Format(time.DateOnly) }
