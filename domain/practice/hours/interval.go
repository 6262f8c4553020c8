package hours

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"frontdesk/domain/fault"
)

// Clock is a local time of day, in minutes after midnight: 0 to 1440.
type Clock int

// endOfDay is 24:00. An interval may end then, but not begin.
const endOfDay Clock = 24 * 60

// String returns the time of day in the form `08:00`.
func (c Clock) String() string { return fmt.Sprintf("%02d:%02d", int(c)/60, int(c)%60) }

// Interval is a period of a week, from Open until Close, exclusive. If Close is not
// after Open, it is on the next day.
type Interval struct {
	Day   time.Weekday
	Open  Clock
	Close Clock
}

// The refusals of opening hours.
var (
	ErrInvalid = fault.New(fault.Invalid, "invalid-hours", `Write opening hours like "mon 08:00-12:30".`)
	ErrOverlap = fault.New(fault.Invalid, "overlapping-hours", "Stretches of the opening hours must not overlap.")
)

// days are the text forms of weekdays, in the order of [time.Weekday].
var days = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// ParseInterval parses `mon 08:00-12:30`. `mon 22:00-06:00` spans midnight, and `mon
// 18:00-24:00` ends with the day. It refuses anything else with [ErrInvalid]. It also
// refuses an interval that ends when it begins, which could mean a whole day or
// nothing.
func ParseInterval(text string) (Interval, error) {
	day, times, _ := strings.Cut(text, " ")
	from, until, _ := strings.Cut(times, "-")
	open, opens := parseClock(from)
	closing, closes := parseClock(until)
	i := Interval{time.Weekday(slices.Index(days, strings.ToLower(day))), open, closing}
	switch {
	case i.Day < 0 || !opens || !closes || i.Open == endOfDay:
		return Interval{}, ErrInvalid.With(`Write %q like "mon 08:00-12:30".`, text)
	case i.Open == i.Close:
		return Interval{}, ErrInvalid.With(`%q opens and closes at once. Write a whole day as "%s 00:00-24:00".`, text, days[i.Day])
	}
	return i.canonical(), nil
}

func parseClock(text string) (Clock, bool) {
	if text == endOfDay.String() {
		return endOfDay, true
	}
	at, err := time.Parse("15:04", text)
	return Clock(at.Hour()*60 + at.Minute()), err == nil && len(text) == len("15:04")
}

// canonical writes a closing at midnight as 24:00 of the same day.
func (i Interval) canonical() Interval {
	if i.Close == 0 {
		i.Close = endOfDay
	}
	return i
}

// String returns the interval in the form that [ParseInterval] parses.
func (i Interval) String() string { return fmt.Sprintf("%s %s-%s", days[i.Day], i.Open, i.Close) }

// MarshalText returns the stored form of the interval, which is its String.
func (i Interval) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// UnmarshalText parses an interval as [ParseInterval] does.
func (i *Interval) UnmarshalText(text []byte) (err error) {
	*i, err = ParseInterval(string(text))
	return err
}

// from returns the local time from the beginning of a week, Monday 00:00, until the
// interval opens.
func (i Interval) from() time.Duration {
	sinceMonday := (int(i.Day) + 6) % 7
	return time.Duration(sinceMonday)*day + time.Duration(i.Open)*time.Minute
}

// until returns the same until it closes, which is after the week's end if it spans
// that.
func (i Interval) until() time.Duration {
	length := i.Close - i.Open
	if length <= 0 {
		length += endOfDay
	}
	return i.from() + time.Duration(length)*time.Minute
}
