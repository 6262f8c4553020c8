package pagekit

import (
	"testing"
	"time"
)

func TestTypedDatesAreBritish_D155(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"11 12 2026": "2026-12-11", "11/12/2026": "2026-12-11", "11.12.26": "2026-12-11", "11122026": "2026-12-11", "11 December 2026": "2026-12-11",
		"11 dec 2026": "2026-12-11", "2026-12-11": "2026-12-11", "1-3-2026": "2026-03-01", " 1  3  2026 ": "2026-03-01",
		"": "", "tomorrow": "", "12/25/2026": "", "31 2 2026": "", "1 3": "",
	} {
		if got, ok := ParseDate(text); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %t", text, got, ok)
		}
	}
}

func TestTypedTimesAreForgiven_D155(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"08:00": "08:00", "8:00": "08:00", "8.30": "08:30", "0830": "08:30", "830": "08:30", "8": "08:00", "8am": "08:00", "8 AM": "08:00", "8:30pm": "20:30", "12am": "00:00",
		"12pm": "12:00", "2.15pm": "14:15", "14:30": "14:30", "noon": "12:00", "Midnight": "00:00",
		"": "", "24:00": "", "25": "", "8:60": "", "13pm": "", "soon": "", "8:3": "",
	} {
		if got, ok := ParseTime(text); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %t", text, got, ok)
		}
	}
}

func TestMissingDayIsNamed_D155(t *testing.T) {
	t.Parallel()
	const none = "31 February 1990 does not exist. Check the day and the month"
	for text, want := range map[string]string{
		"31 2 1990": none, "31/2/1990": none, "31021990": none, "1990-02-31": none, "31 February 1990": none,
		"31 6 1990": "31 June 1990 does not exist. Check the day and the month", "29 2 1900": "29 February 1900 does not exist. Check the day and the month",
		"32 1 1990": "x", "0 1 1990": "x", "31 13 1990": "x", "1990": "x", "": "x", "a b c": "x",
	} {
		if got := DateFault(text, "x"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{"1 1 30": "1930-01-01", "1 1 20": "2020-01-01", "": ""} {
		if got, ok := ParseBirthDate(text, now); got != want || !ok {
			t.Errorf("born %q: %q, %t", text, got, ok)
		}
	}
}
