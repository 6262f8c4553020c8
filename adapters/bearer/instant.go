package bearer

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// instant is a time in seconds since 1970, exact to the last digit in the token: a
// lifetime of 60.0000001 s is too long, and a float would round it.
type instant struct {
	seconds  int64
	fraction string // decimals of the second, without trailing zeros
}

// The limits of a number that is a time. They are far beyond any real time, but prevent
// numbers of a million digits, which are slow to compute with.
const (
	maxNumber   = 64 // bytes of the number, and the range of its exponent
	maxInstant  = 1 << 53
	nanosDigits = 9
)

func instantOf(t time.Time) instant {
	nanos := strconv.Itoa(t.Nanosecond())
	fraction := strings.Repeat("0", nanosDigits-len(nanos)) + nanos
	return instant{t.Unix(), strings.TrimRight(fraction, "0")}
}

// parseInstant reads a JSON number, which may have an exponent; false if it is
// negative or out of bounds.
func parseInstant(number string) (instant, bool) {
	if len(number) > maxNumber || strings.HasPrefix(number, "-") {
		return instant{}, false
	}
	exponent := 0
	mantissa := number
	if e := strings.IndexAny(number, "eE"); e >= 0 {
		var err error
		if exponent, err = strconv.Atoi(number[e+1:]); err != nil || exponent > maxNumber || exponent < -maxNumber {
			return instant{}, false
		}
		mantissa = number[:e]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	whole, fraction = movePoint(whole, fraction, exponent)
	seconds, err := strconv.ParseInt(whole, 10, 64)
	return instant{seconds, strings.TrimRight(fraction, "0")}, err == nil && seconds <= maxInstant
}

// movePoint moves the decimal point to the right, or to the left if by is
// negative.
func movePoint(whole, fraction string, by int) (string, string) {
	switch {
	case by > 0:
		fraction += strings.Repeat("0", max(0, by-len(fraction)))
		return whole + fraction[:by], fraction[by:]
	case by < 0:
		whole = strings.Repeat("0", -by) + whole
		point := len(whole) + by
		return whole[:point], whole[point:] + fraction
	}
	return whole, fraction
}

func (i instant) plus(seconds int64) instant {
	return instant{i.seconds + seconds, i.fraction}
}

// after reports whether i is later than j. Fractions are compared as text, because
// both begin right after the point.
func (i instant) after(j instant) bool {
	if i.seconds != j.seconds {
		return i.seconds > j.seconds
	}
	return i.fraction > j.fraction
}

// since returns the whole seconds from j to i.
func (i instant) since(j instant) int64 {
	if i.fraction < j.fraction {
		return i.seconds - j.seconds - 1
	}
	return i.seconds - j.seconds
}

// unit returns "milliseconds" or "microseconds" if i is a time within a year of now in
// that unit instead of seconds; "" otherwise.
func (i instant) unit(now instant) string {
	const year = 366 * 24 * 3600
	near := func(seconds int64) bool { return max(seconds-now.seconds, now.seconds-seconds) < year }
	switch {
	case near(i.seconds / 1e3):
		return "milliseconds"
	case near(i.seconds / 1e6):
		return "microseconds"
	}
	return ""
}

// format formats i for people, without the day if it is near.
func (i instant) format(now instant) string {
	const near = 12 * 3600
	at := time.Unix(i.seconds, 0).UTC()
	if max(i.seconds-now.seconds, now.seconds-i.seconds) < near {
		return at.Format("15:04:05Z")
	}
	return at.Format(time.RFC3339)
}

// span formats a number of seconds for people.
func span(seconds int64) string {
	const hour, day = 3600, 24 * 3600
	switch {
	case seconds < 2*hour:
		return fmt.Sprintf("%d s", seconds)
	case seconds < 2*day:
		return fmt.Sprintf("%d hours", seconds/hour)
	}
	return fmt.Sprintf("%d days", seconds/day)
}
