package main

import "time"

// lead is how long before an instant the tests of each package begin, so that it comes while they
// run.
const lead = 20 * time.Second

// moment is a time at which tests run.
type moment struct {
	name string
	zone string                        // of the processes; "" is the machine's own
	next func(now time.Time) time.Time // when the tests of each package begin
}

// home is where most practices of the tests are.
const home = "Europe/London"

// moments are times at which programs often fail.
func moments(london *time.Location) []moment {
	return []moment{
		{name: "noon", next: func(now time.Time) time.Time {
			return midnightAfter(now.In(london), func(day time.Time) bool { return day.Weekday() == time.Tuesday }).Add(-12 * time.Hour)
		}},
		{name: "sunday", next: func(now time.Time) time.Time { // practices are closed
			return midnightAfter(now.In(london), func(day time.Time) bool { return day.Weekday() == time.Saturday }).Add(3 * time.Hour)
		}},
		{name: "saturday", next: func(now time.Time) time.Time {
			return midnightAfter(now.In(london), func(day time.Time) bool { return day.Weekday() == time.Saturday }).Add(-lead)
		}},
		{name: "leap-day", next: func(now time.Time) time.Time {
			return midnightAfter(now.In(london), isLeapDay).Add(-12 * time.Hour)
		}},
		{name: "clocks-forward", next: func(now time.Time) time.Time { return change(now.In(london), true).Add(-lead) }},
		{name: "clocks-back", next: func(now time.Time) time.Time { return change(now.In(london), false).Add(-lead) }},
		{name: "new-year", next: func(now time.Time) time.Time {
			return midnightAfter(now.In(london), func(day time.Time) bool { return day.Month() == time.December && day.Day() == 31 }).Add(-lead)
		}},
		// When it is noon by UTC, it is the next day in Kiritimati.
		{name: "kiritimati", zone: "Pacific/Kiritimati", next: func(now time.Time) time.Time {
			return now.UTC().Truncate(24 * time.Hour).Add(36 * time.Hour)
		}},
	}
}

func isLeapDay(day time.Time) bool { return day.Month() == time.February && day.Day() == 29 }

// midnightAfter returns the end of the first day after today that holds accepts.
func midnightAfter(now time.Time, holds func(day time.Time) bool) time.Time {
	year, month, day := now.Date()
	for {
		day++
		if holds(time.Date(year, month, day, 12, 0, 0, 0, now.Location())) {
			return time.Date(year, month, day+1, 0, 0, 0, 0, now.Location())
		}
	}
}

// change returns the next instant, a day or more from now, at which summer time begins, or
// ends.
func change(now time.Time, begins bool) time.Time {
	for at := now.Add(24 * time.Hour); ; {
		if _, at = at.ZoneBounds(); at.IsDST() == begins {
			return at
		}
	}
}
