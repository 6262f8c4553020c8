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
}
