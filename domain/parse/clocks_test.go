package parse_test

import (
	"testing"
	"time"

	"frontdesk/domain/parse"
)

func zoneOf(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func TestATimeIsReadOffThePracticesClocks_D86(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, day, clock, want string }{
		{"Europe/London", "2026-01-05", "09:30", "2026-01-05T09:30:00Z"},
		{"Europe/London", "2026-07-01", "09:30", "2026-07-01T08:30:00Z"},
		{"Europe/London", "2026-07-01", "9:30", "2026-07-01T08:30:00Z"},
		{"Europe/London", "2026-03-29", "00:59", "2026-03-29T00:59:00Z"},
		{"Europe/London", "2026-03-29", "01:30", ""}, // skipped
		{"Europe/London", "2026-03-29", "02:00", "2026-03-29T01:00:00Z"},
		{"Europe/London", "2026-10-25", "00:59", "2026-10-24T23:59:00Z"},
		{"Europe/London", "2026-10-25", "01:30", "2026-10-25T00:30:00Z"}, // the first of two
		{"Europe/London", "2026-10-25", "02:00", "2026-10-25T02:00:00Z"},
		{"America/New_York", "2026-11-01", "01:30", "2026-11-01T05:30:00Z"},
		{"Australia/Lord_Howe", "2026-10-04", "02:15", ""}, // half an hour is skipped
		{"Europe/London", "2026-02-30", "09:30", ""},
		{"Europe/London", "2026-02-28", "24:00", ""},
		{"Europe/London", "", "09:30", ""},
		{"Europe/London", "2026-02-28", "", ""},
	} {
		at, ok := parse.Clock(c.day, c.clock, zoneOf(t, c.zone))
		if got := at.UTC().Format(time.RFC3339); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%s %s in %s is %s (%t), want %q", c.day, c.clock, c.zone, got, ok, c.want)
		}
	}
}

func TestDayFollowsPracticeClocks_D86(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, day, from, until string }{
		{"Europe/London", "2026-03-28", "2026-03-28T00:00:00Z", "2026-03-29T00:00:00Z"},
		{"Europe/London", "2026-03-29", "2026-03-29T00:00:00Z", "2026-03-29T23:00:00Z"},
		{"Europe/London", "2026-10-25", "2026-10-24T23:00:00Z", "2026-10-26T00:00:00Z"},
		{"Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00Z", "2026-04-24T21:00:00Z"},     // midnight is skipped
		{"America/Havana", "2026-11-01", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"},   // midnight comes twice
		{"Asia/Tehran", "2026-12-31", "2026-12-30T20:30:00Z", "2026-12-31T20:30:00Z"},      // the year ends
		{"Pacific/Auckland", "2026-09-27", "2026-09-26T12:00:00Z", "2026-09-27T11:00:00Z"}, // far from UTC
	} {
		from, until, ok := parse.Day(c.day, zoneOf(t, c.zone))
		if got, end := from.UTC().Format(time.RFC3339), until.UTC().Format(time.RFC3339); !ok || got != c.from || end != c.until {
			t.Errorf("%s in %s is from %s until %s (%t), want %s until %s", c.day, c.zone, got, end, ok, c.from, c.until)
		}
	}
	if _, _, ok := parse.Day("today", time.UTC); ok {
		t.Error("today is a day")
	}
}
