package practice_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/practice"
)

func closed(from, until time.Time) practice.Closed { return practice.Closed{From: from, Until: until} }

func reopened(from, until time.Time) practice.Reopened {
	return practice.Reopened{From: from, Until: until}
}

func closeFrom(from, until, now time.Time) func(practice.Closures) ([]event.Event, error) {
	return func(c practice.Closures) ([]event.Event, error) { return c.Close(from, until, now) }
}

func reopen(from time.Time) func(practice.Closures) ([]event.Event, error) {
	return func(c practice.Closures) ([]event.Event, error) { return c.Reopen(from) }
}

func TestAPracticeClosesNowOrByDates_D23(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[practice.Closures]

	given().When(closeFrom(ever, ever, noon)).Then(t, closed(noon, ever))
	given().When(closeFrom(ever, one, noon)).Then(t, closed(noon, one))
	given().When(closeFrom(one, two, noon)).Then(t, closed(one, two))
	given().When(closeFrom(one, ever, noon)).Then(t, closed(one, ever))
	given().When(closeFrom(noon, two, one)).Then(t, closed(noon, two)) // it has been closed for a while
	given(closed(noon, one)).When(closeFrom(two, ever, noon)).Then(t, closed(two, ever))
}

func TestClosureEndsAfterItBegins(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[practice.Closures]

	given().When(closeFrom(one, one, noon)).Refuses(t, practice.ErrInvalidClosure)
	given().When(closeFrom(two, one, noon)).Refuses(t, practice.ErrInvalidClosure)
	given().When(closeFrom(ever, noon, noon)).Refuses(t, practice.ErrInvalidClosure)
	given().When(closeFrom(noon, one, one)).Refuses(t, practice.ErrInvalidClosure)
	given().When(closeFrom(one, one.Add(999*time.Nanosecond), noon)).Refuses(t, practice.ErrInvalidClosure)
}

func TestClosingAgainChangesNothing(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[practice.Closures]

	given(closed(noon, ever)).When(closeFrom(ever, ever, one)).Then(t)
	given(closed(noon, ever)).When(closeFrom(one, two, noon)).Then(t)
	given(closed(noon, two)).When(closeFrom(noon, one, noon)).Then(t)
	given(closed(noon, one), closed(one, two)).When(closeFrom(noon, two, noon)).Then(t) // two that touch are one
	given(closed(one, two), closed(noon, one)).When(closeFrom(noon, two, noon)).Then(t)
	given(closed(noon, one)).When(closeFrom(noon, two, noon)).Then(t, closed(noon, two))
	given(closed(one, two)).When(closeFrom(noon, two, noon)).Then(t, closed(noon, two))
	given(closed(noon, two)).When(closeFrom(one, ever, noon)).Then(t, closed(one, ever))
}

func TestReopeningEndsOneClosure(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[practice.Closures]
	three := two.Add(time.Hour)

	given().When(reopen(noon)).Then(t)
	given(closed(noon, ever)).When(reopen(one)).Then(t, reopened(one, ever))
	given(closed(noon, two)).When(reopen(one)).Then(t, reopened(one, two))
	given(closed(noon, one)).When(reopen(one)).Then(t) // it has ended already
	given(closed(one, two)).When(reopen(noon)).Then(t) // not begun
	given(closed(one, two)).When(reopen(one)).Then(t, reopened(one, two))
	given(closed(noon, two), reopened(one, two)).When(reopen(one)).Then(t)
	given(closed(noon, two), reopened(noon, two)).When(closeFrom(noon, two, noon)).Then(t, closed(noon, two))

	given(closed(noon, one), closed(two, three), reopened(noon, one)).When(reopen(two)).Then(t, reopened(two, three))
	given(closed(noon, ever), reopened(one, ever)).When(closeFrom(two, ever, one)).Then(t, closed(two, ever))
	given(closed(noon, one), closed(two, ever), closed(one, two)).When(reopen(one)).Then(t, reopened(one, ever))
}

// The obvious model: a practice is open or closed at each hour of a day.
func TestClosuresAgreeWithHourModel(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(23, 4))
	hour := func(h int) time.Time { return noon.Add(time.Duration(h) * time.Hour) }
	for round := range 2000 {
		var closures practice.Closures
		var model [24]bool
		for range 1 + random.IntN(8) {
			from, until := random.IntN(24), 1+random.IntN(24)
			switch {
			case random.IntN(3) == 0:
				events, _ := closures.Reopen(hour(from))
				for _, e := range events {
					closures = closures.Apply(e)
				}
				for h := from; h < 24 && model[h]; h++ {
					model[h] = false
				}
			case from < until:
				end := hour(until)
				if until == 24 {
					end = ever
				}
				events, err := closures.Close(hour(from), end, noon)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range events {
					closures = closures.Apply(e)
				}
				for h := from; h < until; h++ {
					model[h] = true
				}
			}
		}
		for h, want := range model {
			if got := reception(practice.Intake{}, closures).Availability(hour(h)).Status == practice.TypeClosed; got != want {
				t.Fatalf("round %d: closed at hour %d: %v, want %v; closures %v", round, h, got, want, closures)
			}
		}
	}
}
