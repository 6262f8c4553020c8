package hours_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/domain/practice/hours"
)

func week(t *testing.T, texts ...string) hours.Week {
	t.Helper()
	w, err := hours.Parse(texts)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func instant(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestAWeekIsKeptInItsOrder(t *testing.T) {
	t.Parallel()
	w := week(t, "sun 10:00-12:00", "tue 08:00-12:00", "mon 14:00-18:00", "mon 08:00-12:30")
	want := []string{"mon 08:00-12:30", "mon 14:00-18:00", "tue 08:00-12:00", "sun 10:00-12:00"}
	if diff := cmp.Diff(want, w.Texts()); diff != "" {
		t.Error(diff)
	}
}

func TestOverlappingIntervalsAreRefused(t *testing.T) {
	t.Parallel()
	for _, texts := range [][]string{
		{"mon 08:00-12:00", "mon 11:59-14:00"},
		{"mon 11:59-14:00", "mon 08:00-12:00"},
		{"mon 08:00-12:00", "mon 08:00-12:00"},
		{"mon 08:00-18:00", "mon 09:00-10:00", "mon 12:00-13:00"},
		{"mon 22:00-06:00", "tue 05:59-08:00"},
		{"sun 22:00-06:00", "mon 05:59-08:00"}, // over the week's end
		{"mon 00:00-01:00", "sun 23:00-00:01"},
	} {
		if w, err := hours.Parse(texts); !errors.Is(err, hours.ErrOverlap) {
			t.Errorf("%q: %v, error %v", texts, w, err)
		}
	}
	for _, texts := range [][]string{
		{"mon 08:00-12:00", "mon 12:00-14:00"},
		{"mon 22:00-06:00", "tue 06:00-08:00"},
		{"sun 22:00-06:00", "mon 06:00-08:00"},
		{"mon 00:00-24:00", "tue 00:00-24:00", "wed 00:00-24:00", "thu 00:00-24:00", "fri 00:00-24:00", "sat 00:00-24:00", "sun 00:00-24:00"},
	} {
		week(t, texts...)
	}
}

func TestAWeekWithoutHoursIsOpenAtAllHours_D23(t *testing.T) {
	t.Parallel()
	at := instant(t, "2026-03-29T01:00:00.000000001Z")
	if got := (hours.Week)(nil).Next(at, zone(t, "Europe/London")); !got.Equal(at) {
		t.Errorf("opens %s, want %s", got, at)
	}
}

func TestTheCloseIsExclusive_D23(t *testing.T) {
	t.Parallel()
	w, london := week(t, "mon 08:00-12:30", "mon 14:00-18:00"), zone(t, "Europe/London")
	for at, opens := range map[string]string{
		"2026-03-02T07:59:59.999999999Z": "2026-03-02T08:00:00Z",
		"2026-03-02T08:00:00Z":           "2026-03-02T08:00:00Z",
		"2026-03-02T12:29:59.999999999Z": "2026-03-02T12:29:59.999999999Z",
		"2026-03-02T12:30:00Z":           "2026-03-02T14:00:00Z",
		"2026-03-02T17:59:59Z":           "2026-03-02T17:59:59Z",
		"2026-03-02T18:00:00Z":           "2026-03-09T08:00:00Z",
	} {
		if got := w.Next(instant(t, at), london); !got.Equal(instant(t, opens)) {
			t.Errorf("at %s it opens %s, want %s", at, got, opens)
		}
	}
}

// In 2026 the clocks of Europe/London go forward on 29 March, 01:00 → 02:00,
// and back on 25 October, 02:00 → 01:00: both at 01:00 UTC.
func TestHoursFollowClockChanges_D23(t *testing.T) {
	t.Parallel()
	daily := []string{}
	for _, day := range []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"} {
		daily = append(daily, day+" 08:00-18:30")
	}
	for _, c := range []struct {
		rule  string
		hours []string
		at    string
		opens string // the same instant: it is open then
	}{
		{"winter's eight is eight in UTC", daily, "2026-03-28T18:30:00Z", "2026-03-29T07:00:00Z"},
		{"summer's eight is seven in UTC", daily, "2026-03-29T17:29:59Z", "2026-03-29T17:29:59Z"},
		{"and half past six is half past five", daily, "2026-03-29T17:30:00Z", "2026-03-30T07:00:00Z"},
		{"the last summer morning", daily, "2026-10-24T17:30:00Z", "2026-10-25T08:00:00Z"},
		{"the first winter evening", daily, "2026-10-25T18:29:59Z", "2026-10-25T18:29:59Z"},
		{"a week ahead, over the change", []string{"mon 08:00-12:00"}, "2026-03-23T12:00:00Z", "2026-03-30T07:00:00Z"},
		{"a week ahead, over the other change", []string{"mon 08:00-12:00"}, "2026-10-19T11:00:00Z", "2026-10-26T08:00:00Z"},

		{"a night of seven hours is open after the change", []string{"sat 22:00-06:00"}, "2026-03-29T04:59:59Z", "2026-03-29T04:59:59Z"},
		{"a night of seven hours ends at six", []string{"sat 22:00-06:00"}, "2026-03-29T05:00:00Z", "2026-04-04T21:00:00Z"},
		{"a night of nine hours is open after the change", []string{"sat 22:00-06:00"}, "2026-10-25T05:59:59Z", "2026-10-25T05:59:59Z"},
		{"a night of nine hours ends at six", []string{"sat 22:00-06:00"}, "2026-10-25T06:00:00Z", "2026-10-31T22:00:00Z"},

		{"an opening that is skipped is where the clock goes on", []string{"sun 01:30-03:00"}, "2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z"},
		{"an interval that is skipped never comes", []string{"sun 01:15-01:45"}, "2026-03-29T00:59:59Z", "2026-04-05T00:15:00Z"},
		{"an end that is skipped has come", []string{"sun 00:00-01:30"}, "2026-03-29T01:00:00Z", "2026-04-04T23:00:00Z"},
		{"an interval that is repeated comes once", []string{"sun 01:15-01:45"}, "2026-10-24T23:00:00Z", "2026-10-25T00:15:00Z"},
		{"and twice", []string{"sun 01:15-01:45"}, "2026-10-25T00:45:00Z", "2026-10-25T01:15:00Z"},
		{"and not three times", []string{"sun 01:15-01:45"}, "2026-10-25T01:45:00Z", "2026-11-01T01:15:00Z"},
		{"the repeated hour is open both times", []string{"sun 01:00-02:00"}, "2026-10-25T01:59:59Z", "2026-10-25T01:59:59Z"},
	} {
		got := week(t, c.hours...).Next(instant(t, c.at), zone(t, "Europe/London"))
		if !got.Equal(instant(t, c.opens)) {
			t.Errorf("%s: at %s it opens %s, want %s", c.rule, c.at, got.UTC().Format(time.RFC3339), c.opens)
		}
	}
}

func TestIntervalMaySpanMidnight_D23(t *testing.T) {
	t.Parallel()
	w, utc := week(t, "sun 22:00-06:00", "wed 18:00-24:00", "thu 00:00-02:00"), time.UTC
	for at, opens := range map[string]string{
		"2026-03-01T22:00:00Z": "2026-03-01T22:00:00Z", // Sunday
		"2026-03-02T00:00:00Z": "2026-03-02T00:00:00Z",
		"2026-03-02T05:59:00Z": "2026-03-02T05:59:00Z",
		"2026-03-02T06:00:00Z": "2026-03-04T18:00:00Z",
		"2026-03-05T00:00:00Z": "2026-03-05T00:00:00Z", // no gap between two that meet
		"2026-03-05T02:00:00Z": "2026-03-08T22:00:00Z",
	} {
		if got := w.Next(instant(t, at), utc); !got.Equal(instant(t, opens)) {
			t.Errorf("at %s it opens %s, want %s", at, got, opens)
		}
	}
}

func TestAZoneMaySkipADay(t *testing.T) {
	t.Parallel()
	// Samoa crossed the date line: Friday 30 December 2011 never came there.
	got := week(t, "fri 08:00-12:00").Next(instant(t, "2011-12-30T09:00:00Z"), zone(t, "Pacific/Apia"))
	if want := instant(t, "2012-01-05T18:00:00Z"); !got.Equal(want) {
		t.Errorf("opens %s, want %s", got.UTC(), want)
	}
}

func TestTextsReadBackAsTheSameWeek(t *testing.T) {
	t.Parallel()
	w := week(t, "fri 18:00-00:00", "mon 08:00-12:30", "sat 22:00-06:00")
	if again := week(t, w.Texts()...); !slices.Equal(again, w) {
		t.Errorf("%v reads back as %v", w, again)
	}
}

func TestUntilIsTheNextClosedInstant(t *testing.T) {
	t.Parallel()
	london := zone(t, "Europe/London")
	daily := []string{
		"mon 00:00-24:00", "tue 00:00-24:00", "wed 00:00-24:00", "thu 00:00-24:00", "fri 00:00-24:00", "sat 00:00-24:00", "sun 00:00-24:00",
	}
	for name, c := range map[string]struct {
		week     []string
		at, want string // "" is never
	}{
		"open":                  {[]string{"mon 08:00-12:00"}, "2026-03-02T09:00:00Z", "2026-03-02T12:00:00Z"},
		"as it closes":          {[]string{"mon 08:00-12:00"}, "2026-03-02T12:00:00Z", "2026-03-02T12:00:00Z"},
		"closed":                {[]string{"mon 08:00-12:00"}, "2026-03-03T09:00:00Z", "2026-03-03T09:00:00Z"},
		"adjacent intervals":    {[]string{"mon 12:00-18:00", "mon 08:00-12:00"}, "2026-03-02T09:00:00Z", "2026-03-02T18:00:00Z"},
		"overnight":             {[]string{"sun 22:00-06:00"}, "2026-03-01T23:00:00Z", "2026-03-02T06:00:00Z"},
		"a clock is put ahead":  {[]string{"sun 00:00-12:00"}, "2026-03-29T00:30:00Z", "2026-03-29T11:00:00Z"},
		"a clock is put back":   {[]string{"sun 00:00-12:00"}, "2026-10-25T00:30:00Z", "2026-10-25T12:00:00Z"},
		"every day, all day":    {daily, "2026-03-02T09:00:00Z", ""},
		"no interval, all week": {nil, "2026-03-02T09:00:00Z", ""},
	} {
		var want time.Time
		if c.want != "" {
			want = instant(t, c.want)
		}
		if got := week(t, c.week...).Until(instant(t, c.at), london); !got.Equal(want) {
			t.Errorf("%s: until %v, want %v", name, got, want)
		}
	}
}
