package pagekit

import (
	"testing"
	"time"

	"frontdesk/projections"
)

func TestSpanFormatsDurations(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		12 * time.Hour: "12 hours", time.Hour: "1 hour", 90 * time.Minute: "90 minutes", time.Minute: "1 minute",
		90 * time.Second: "90 seconds", time.Second: "1 second", 1500 * time.Millisecond: "2 seconds",
	} {
		if got := Span(d); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
	for wait, want := range map[time.Duration]time.Duration{
		time.Nanosecond: time.Second, 59*time.Second + 1: time.Minute, 91 * time.Second: 2 * time.Minute, 16 * time.Minute: 16 * time.Minute,
	} {
		if got := RoundUp(wait); got != want {
			t.Errorf("%v: got %v, want %v", wait, got, want)
		}
	}
}

func TestWhenUsesPracticeTimeZone(t *testing.T) {
	t.Parallel()
	london, err := time.LoadLocation("Europe/London")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 7, 1, 23, 30, 0, 0, time.UTC) // 2 July at the practice
	s, r := &Site{Now: func() time.Time { return now }}, &Request{Practice: projections.Practice{Zone: london}}
	for want, at := range map[string]time.Time{
		"12:00am":                       now.Add(-30 * time.Minute),
		"11:59pm on Wednesday 1 July":   now.Add(-31 * time.Minute),
		"12:00am on Thursday 1 January": time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		"11:59pm on 31 December 2025":   time.Date(2025, 12, 31, 23, 59, 0, 0, time.UTC),
	} {
		if got := s.When(r, at); got != want {
			t.Errorf("%v is %q, want %q", at, got, want)
		}
	}
	for want, at := range map[string]time.Time{
		"12:00am": now.Add(-30 * time.Minute), "Wed 11:59pm": now.Add(-31 * time.Minute), "Fri 12:31am": now.Add(-6*24*time.Hour + time.Minute),
		"26 Jun": now.Add(-6 * 24 * time.Hour), "31 Dec 2025": time.Date(2025, 12, 31, 23, 59, 0, 0, time.UTC),
	} {
		if got := s.ShortWhen(r, at); got != want {
			t.Errorf("%v is %q in a column, want %q", at, got, want)
		}
	}
}

func TestWaitedRoundsDown_D154(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "0 min", time.Hour - 1: "59 min", time.Hour: "1 h", 24*time.Hour - 1: "23 h", 24 * time.Hour: "1 day", 72*time.Hour - 1: "2 days",
	} {
		if got := Waited(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}

func TestInstantsAreReadableTimes_D155(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/London")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"The next opening is 2026-07-24T14:00:00Z.":                  "The next opening is 3:00pm on 24 July 2026.",
		"2026-11-24T14:00:00.5+01:00 and 2026-11-24T14:00:00Z":       "1:00pm on 24 November 2026 and 2:00pm on 24 November 2026",
		"2026-13-24T14:00:00Z is none, and neither is 2026-11-24 T1": "2026-13-24T14:00:00Z is none, and neither is 2026-11-24 T1",
	} {
		if got := InstantsInWords(text, zone); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestBirthDatesAsTyped_D154(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 2, 28, 12, 0, 0, 0, time.UTC)
	for typed, want := range map[string]string{
		"": "", "15.3.39": "1939-03-15", "15031939": "1939-03-15", "150339": "1939-03-15", "28/2/26": "2026-02-28", "1/3/26": "1926-03-01",
		"29.2.28": "1928-02-29", "15 Mar 1939": "1939-03-15", "1939-03-15": "1939-03-15",
	} {
		if got, ok := ParseBirthDate(typed, now); got != want || !ok {
			t.Errorf("%q is %s, %v; want %s", typed, got, ok, want)
		}
	}
	for _, typed := range []string{"1939", "31 2 1990", "29.2.27", "ann", "/"} {
		if got, ok := ParseBirthDate(typed, now); ok {
			t.Errorf("%q is %s", typed, got)
		}
	}
	for born, want := range map[string]string{"": "", "1980-02-28": "28 Feb 1980 (46)", "1980-02-29": "29 Feb 1980 (45)", "2027-01-01": "1 Jan 2027 (0)", "1980": "1980"} {
		if got := BornAndAge(born, now); got != want {
			t.Errorf("born %q is %q, want %q", born, got, want)
		}
	}
}
