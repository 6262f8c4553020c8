package retention

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Period is a retention period, by the calendar. The zero one is for ever.
type Period struct{ Years, Days int }

// leastDays is the minimum: while lines of a month may still come, the month is not
// detached.
const leastDays = 62

// Forever reports whether nothing is ever archived.
func (p Period) Forever() bool { return p == Period{} }

// Before returns the instant before which everything is old enough.
func (p Period) Before(now time.Time) time.Time { return now.UTC().AddDate(-p.Years, 0, -p.Days) }

// UnmarshalText parses "never", "8y" or "400d".
func (p *Period) UnmarshalText(text []byte) error {
	written := string(text)
	if written == "never" {
		*p = Period{}
		return nil
	}
	years, isYears := strings.CutSuffix(written, "y")
	days, isDays := strings.CutSuffix(written, "d")
	n, err := strconv.Atoi(map[bool]string{true: years, false: days}[isYears])
	switch {
	case err != nil || isYears == isDays || n > 1000*365:
		return fmt.Errorf("%q is no time to keep something: write 8y or 400d, or never", written)
	case isDays && n < leastDays || n < 1:
		return fmt.Errorf("%q is too short: keep everything for %dd or longer", written, leastDays)
	case isYears:
		*p = Period{Years: n}
	default:
		*p = Period{Days: n}
	}
	return nil
}

// String formats the period as it is parsed.
func (p Period) String() string {
	switch {
	case p.Forever():
		return "never"
	case p.Years > 0:
		return strconv.Itoa(p.Years) + "y"
	}
	return strconv.Itoa(p.Days) + "d"
}
