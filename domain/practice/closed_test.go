package practice_test

import (
	"testing"
	"time"

	"frontdesk/domain/practice"
	"frontdesk/domain/practice/hours"
	"frontdesk/domain/request"
)

func TestHoursAndClosuresClosePractice_D155(t *testing.T) {
	t.Parallel()
	week, err := hours.Parse([]string{"mon 08:00-18:30"})
	if err != nil {
		t.Fatal(err)
	}
	monday := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	sunday, evening := monday.AddDate(0, 0, -1), monday.Add(8*time.Hour)
	set := func(typ request.Type) practice.OpeningHoursSet {
		return practice.OpeningHoursSet{RequestType: typ, Hours: week}
	}
	always := practice.Receptions{Zone: time.UTC}
	both := always.After(set(request.Medical), set(request.Admin))
	for name, c := range map[string]struct {
		of   practice.Receptions
		at   time.Time
		want bool
	}{
		"without hours":     {always, sunday, false},
		"hours of one type": {always.After(set(request.Medical)), sunday, false},
		"within hours":      {both, monday, false},
		"on another day":    {both, sunday, true},
		"in the evening":    {both, evening, true},
		"paused":            {both.After(practice.RequestTypePaused{RequestType: request.Medical}), monday, false},
		"switched off":      {both.After(practice.RequestTypeSwitchedOff{RequestType: request.Medical}), monday, false},
		"during a closure":  {always.After(practice.Closed{From: sunday, Until: evening}), monday, true},
		"after the closure": {always.After(practice.Closed{From: sunday, Until: evening}), evening, false},
	} {
		if got := c.of.IsClosed(c.at); got != c.want {
			t.Errorf("%s: closed %t, want %t", name, got, c.want)
		}
	}
}
