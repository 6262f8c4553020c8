package practice_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/domain/fault"
	"frontdesk/domain/practice"
	"frontdesk/domain/practice/hours"
	"frontdesk/domain/request"
)

func reception(intake practice.Intake, closures practice.Closures) practice.Reception {
	return practice.Reception{Type: request.Medical, Intake: intake, Closures: closures, Zone: time.UTC}
}

func week(texts ...string) hours.Week {
	w, err := hours.Parse(texts)
	if err != nil {
		panic(err) // the test's own hours
	}
	return w
}

func TestAvailabilityAndNextOpening_D2_D23_D24(t *testing.T) {
	t.Parallel()
	workdays := week("mon 08:00-18:00", "tue 08:00-18:00") // noon is a Monday's
	tomorrow := time.Date(2026, 3, 3, 8, 0, 0, 0, time.UTC)
	nextWeek := time.Date(2026, 3, 9, 8, 0, 0, 0, time.UTC)
	evening := time.Date(2026, 3, 2, 18, 0, 0, 0, time.UTC)

	for _, c := range []struct {
		rule     string
		intake   practice.Intake
		closures practice.Closures
		now      time.Time
		status   practice.Status
		next     time.Time
	}{
		{"nothing set is open", practice.Intake{}, nil, noon, practice.TypeOpen, ever},
		{"within hours is open", practice.Intake{Hours: workdays}, nil, noon, practice.TypeOpen, ever},
		{"outside hours is closed until they begin", practice.Intake{Hours: workdays}, nil, evening, practice.TypeClosed, tomorrow},

		{"off is disabled, end unknown", practice.Intake{SwitchedOff: true}, nil, noon, practice.TypeDisabled, ever},
		{"disabled comes before paused and closed",
			practice.Intake{SwitchedOff: true, Paused: true, PausedUntil: one, Hours: workdays},
			practice.Closures{{From: noon, Until: one}}, noon, practice.TypeDisabled, ever},

		{"a pause without end", practice.Intake{Paused: true}, nil, noon, practice.TypePaused, ever},
		{"a pause until one", practice.Intake{Paused: true, PausedUntil: one}, nil, noon, practice.TypePaused, one},
		{"a pause ends by itself", practice.Intake{Paused: true, PausedUntil: one}, nil, one, practice.TypeOpen, ever},
		{"paused comes before closed",
			practice.Intake{Paused: true, PausedUntil: one}, practice.Closures{{From: noon, Until: two}}, noon, practice.TypePaused, two},
		{"a pause beyond the hours", practice.Intake{Paused: true, PausedUntil: evening, Hours: workdays}, nil, noon, practice.TypePaused, tomorrow},
		{"paused and outside hours is paused", practice.Intake{Paused: true, PausedUntil: tomorrow, Hours: workdays}, nil, evening, practice.TypePaused, tomorrow},
		{"a pause within closed hours", practice.Intake{Paused: true, PausedUntil: evening.Add(time.Hour), Hours: workdays}, nil, evening, practice.TypePaused, tomorrow},

		{"a closure without end", practice.Intake{}, practice.Closures{{From: noon}}, noon, practice.TypeClosed, ever},
		{"a closure until one", practice.Intake{}, practice.Closures{{From: noon, Until: one}}, noon, practice.TypeClosed, one},
		{"its end is exclusive", practice.Intake{}, practice.Closures{{From: noon, Until: one}}, one, practice.TypeOpen, ever},
		{"a closure that has not begun", practice.Intake{}, practice.Closures{{From: one, Until: two}}, noon, practice.TypeOpen, ever},
		{"a closure beyond the hours", practice.Intake{Hours: workdays}, practice.Closures{{From: noon, Until: evening}}, noon, practice.TypeClosed, tomorrow},
		{"a closure of the next day", practice.Intake{Hours: workdays},
			practice.Closures{{From: tomorrow, Until: tomorrow.Add(24 * time.Hour)}}, evening, practice.TypeClosed, nextWeek},
		{"a closure without end before the next opening", practice.Intake{Hours: workdays},
			practice.Closures{{From: tomorrow}}, evening, practice.TypeClosed, ever},
		{"a closure and then a pause without end", practice.Intake{Paused: true},
			practice.Closures{{From: noon, Until: one}}, noon, practice.TypePaused, ever},
	} {
		got := reception(c.intake, c.closures).Availability(c.now)
		want := practice.Availability{Type: request.Medical, Status: c.status, NextOpening: c.next}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.rule, diff)
		}
	}
}

const (
	isPaused = "The organisation has paused this request type. It is safe to retry later."
	isClosed = "The organisation is closed, or it is outside its opening hours for this request type. It is safe to retry later."
)

func TestOnlyRetryableRefusalsHaveTime_7_1(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		availability practice.Availability
		want         *fault.Error
		retryAt      time.Time
		says         string
	}{
		{practice.Availability{Status: practice.TypeDisabled}, practice.ErrTypeDisabled, ever, "The organisation has this request type switched off. Do not retry."},
		{practice.Availability{Status: practice.TypePaused}, practice.ErrTypePaused, ever, isPaused},
		{practice.Availability{Status: practice.TypePaused, NextOpening: one}, practice.ErrTypePaused, one,
			"The organisation has paused this request type. It is safe to retry later. The next opening is 2026-03-02T13:00:00Z."},
		{practice.Availability{Status: practice.TypeClosed}, practice.ErrTypeClosed, ever, isClosed},
		{practice.Availability{Status: practice.TypeClosed, NextOpening: one}, practice.ErrTypeClosed, one,
			"The organisation is closed, or it is outside its opening hours for this request type. It is safe to retry later. The next opening is 2026-03-02T13:00:00Z."},
	} {
		err := c.availability.Err()
		refusal, ok := errors.AsType[*fault.Error](err)
		if !ok || !errors.Is(err, c.want) || refusal.Code != string(c.availability.Status) {
			t.Errorf("%+v: %v, want %v", c.availability, err, c.want)
			continue
		}
		if refusal.Detail != c.says {
			t.Errorf("%+v: says %q, want %q", c.availability, refusal.Detail, c.says)
		}
		if refusal.Kind != fault.Refused || !refusal.RetryAt.Equal(c.retryAt) {
			t.Errorf("%+v: kind %v, retry at %v; want it at %v", c.availability, refusal.Kind, refusal.RetryAt, c.retryAt)
		}
	}
	if err := (practice.Availability{Status: practice.TypeOpen}).Err(); err != nil {
		t.Errorf("open is refused: %v", err)
	}
	if !practice.ErrTypePaused.RetryAt.IsZero() {
		t.Error("one refusal has changed the rule's own")
	}
}
