package main

import (
	"testing"
	"time"
)

func TestMoments(t *testing.T) {
	t.Parallel()
	london, err := time.LoadLocation(home)
	if err != nil {
		t.Fatal(err)
	}
	begin := map[string]string{
		"noon":           "2026-12-01T12:00:00Z",
		"sunday":         "2026-11-29T03:00:00Z",
		"saturday":       "2026-11-28T23:59:40Z",
		"leap-day":       "2028-02-29T12:00:00Z",
		"clocks-forward": "2027-03-28T00:59:40Z",
		"clocks-back":    "2027-10-31T00:59:40Z",
		"new-year":       "2026-12-31T23:59:40Z",
		"kiritimati":     "2026-11-26T12:00:00Z",
	}
	for _, m := range moments(london) {
		at := m.next(time.Date(2026, 11, 25, 16, 30, 0, 0, time.UTC)).UTC().Format(time.RFC3339)
		if at != begin[m.name] {
			t.Errorf("%s begins at %s, want %s", m.name, at, begin[m.name])
		}
		delete(begin, m.name)
	}
	if len(begin) > 0 {
		t.Errorf("there are no moments %v", begin)
	}
}
