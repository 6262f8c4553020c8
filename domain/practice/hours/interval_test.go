package hours_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"frontdesk/domain/practice/hours"
)

func TestAnIntervalReadsAsItIsWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]hours.Interval{
		"mon 08:00-12:30": {Day: time.Monday, Open: 8 * 60, Close: 12*60 + 30},
		"SUN 22:00-06:00": {Day: time.Sunday, Open: 22 * 60, Close: 6 * 60},
		"Wed 00:00-24:00": {Day: time.Wednesday, Open: 0, Close: 24 * 60},
		"sat 23:59-00:01": {Day: time.Saturday, Open: 23*60 + 59, Close: 1},
		"fri 18:00-00:00": {Day: time.Friday, Open: 18 * 60, Close: 24 * 60},
	} {
		got, err := hours.ParseInterval(text)
		if err != nil || got != want {
			t.Errorf("%q is %v, error %v; want %v", text, got, err, want)
			continue
		}
		if again, err := hours.ParseInterval(got.String()); err != nil || again != got {
			t.Errorf("%q is written as %q, which is %v, error %v", text, got, again, err)
		}
	}
}

func TestInvalidIntervalIsNamed(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "mon", "mon 08:00", "mon 08:00-", "mon -12:00", "mon08:00-12:00", "mon  08:00-12:00", " mon 08:00-12:00",
		"monday 08:00-12:00", "mo 08:00-12:00", "mon-fri 08:00-12:00", "mon 8:00-12:00", "mon 08:00-12:0", "mon 08:00 - 12:00",
		"mon 08:00-12:00-14:00", "mon 08:60-12:00", "mon 08:00-25:00", "mon 08:00-24:01", "mon 24:00-06:00", "mon 08:00-12:00 ",
		"mon -8:00-12:00", "mon 08.00-12.00", "mon 08:00:00-12:00:00", "mon 08:00–12:00", "mon 08:00-08:00", "mon 00:00-00:00",
	} {
		_, err := hours.ParseInterval(text)
		if !errors.Is(err, hours.ErrInvalid) || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
