package bearer

import (
	"strconv"
	"strings"
	"time"
)

// instant is a moment in seconds since 1970, exact to the last digit that a token
// states: a lifetime of 60.0000001 s is too long, and a float would round it.
type instant struct {
	seconds  int64
	fraction string // decimals of the second, without trailing zeros
}

// The bounds of a number that states a time. They are far beyond any real time, but
// prevent numbers of a million digits, which are slow to compute with.
const (
	maxNumber   = 64 // bytes of the number; also of its exponent's reach
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

// String returns the seconds as a plain decimal number.
func (i instant) String() string {
	if i.fraction == "" {
		return strconv.FormatInt(i.seconds, 10)
	}
	return strconv.FormatInt(i.seconds, 10) + "." + i.fraction
}
