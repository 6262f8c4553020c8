package practice_test

import (
	"testing"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/practice"
	"frontdesk/domain/practice/hours"
	"frontdesk/domain/request"
)

var (
	noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC) // a Monday
	one  = noon.Add(time.Hour)
	two  = noon.Add(2 * time.Hour)
	ever time.Time

	mornings = hours.Week{{Day: time.Monday, Open: 8 * 60, Close: 12 * 60}, {Day: time.Friday, Open: 22 * 60, Close: 6 * 60}}

	off        = practice.RequestTypeSwitchedOff{RequestType: request.Medical}
	on         = practice.RequestTypeSwitchedOn{RequestType: request.Medical}
	paused     = practice.RequestTypePaused{RequestType: request.Medical}
	pausedTill = practice.RequestTypePaused{RequestType: request.Medical, Until: one}
	resumed    = practice.RequestTypeResumed{RequestType: request.Medical}
	hoursSet   = practice.OpeningHoursSet{RequestType: request.Medical, Hours: mornings}
	hoursFreed = practice.OpeningHoursSet{RequestType: request.Medical}
)

func switchOff(i practice.Intake) ([]event.Event, error) { return i.SwitchOff(request.Medical) }
func switchOn(i practice.Intake) ([]event.Event, error)  { return i.SwitchOn(request.Medical) }

func pause(until, now time.Time) func(practice.Intake) ([]event.Event, error) {
	return func(i practice.Intake) ([]event.Event, error) { return i.Pause(request.Medical, until, now) }
}

func resume(now time.Time) func(practice.Intake) ([]event.Event, error) {
	return func(i practice.Intake) ([]event.Event, error) { return i.Resume(request.Medical, now) }
}

func setHours(week hours.Week) func(practice.Intake) ([]event.Event, error) {
	return func(i practice.Intake) ([]event.Event, error) { return i.SetHours(request.Medical, week) }
}

func TestARequestTypeIsSwitchedOffAndOn(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[practice.Intake]

	given().When(switchOff).Then(t, off)
	given(off).When(switchOff).Then(t)
	given(off).When(switchOn).Then(t, on)
	given().When(switchOn).Then(t)
	given(off, on).When(switchOff).Then(t, off)
	given(paused, off).When(switchOn).Then(t, on)
}

func TestAPauseLastsUntilItIsResumed(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[practice.Intake]

	given().When(pause(ever, noon)).Then(t, paused)
	given(paused).When(pause(ever, noon)).Then(t)
	given(paused).When(resume(noon)).Then(t, resumed)
	given(paused, resumed).When(resume(noon)).Then(t)
	given(paused, resumed).When(pause(ever, noon)).Then(t, paused)
	given().When(resume(noon)).Then(t)
	given(paused, off, hoursSet).When(resume(noon)).Then(t, resumed)
}

func TestAPauseWithAnEndResumesByItself_D23(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[practice.Intake]

	given().When(pause(one, noon)).Then(t, pausedTill)
	given(pausedTill).When(resume(one.Add(-time.Nanosecond))).Then(t, resumed)
	given(pausedTill).When(resume(one)).Then(t) // it has ended
	given(pausedTill).When(pause(one, noon)).Then(t)
	given(pausedTill).When(pause(ever, noon)).Then(t, paused)
	given(paused).When(pause(one, noon)).Then(t, pausedTill)
	given(pausedTill, resumed).When(pause(one, noon)).Then(t, pausedTill)
	given(pausedTill).When(pause(two, one)).Then(t, practice.RequestTypePaused{RequestType: request.Medical, Until: two})
}

func TestAPauseEndsInTheFuture(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[practice.Intake]

	given().When(pause(noon, noon)).Refuses(t, practice.ErrInvalidPause)
	given().When(pause(noon, one)).Refuses(t, practice.ErrInvalidPause)
	given(pausedTill).When(pause(one, one)).Refuses(t, practice.ErrInvalidPause)
	given().When(pause(noon.Add(999*time.Nanosecond), noon)).Refuses(t, practice.ErrInvalidPause) // instants are stored in microseconds
}

func TestOpeningHoursAreSetAndFreed(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[practice.Intake]

	given().When(setHours(mornings)).Then(t, hoursSet)
	given(hoursSet).When(setHours(mornings)).Then(t)
	given(hoursSet).When(setHours(nil)).Then(t, hoursFreed)
	given().When(setHours(nil)).Then(t)
	given(hoursSet, hoursFreed).When(setHours(mornings)).Then(t, hoursSet)
}

func TestRequestTypesDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	streams := map[event.Stream]bool{
		practice.IntakeStream("elm-street", request.Medical): true,
		practice.IntakeStream("elm-street", request.Admin):   true,
		practice.IntakeStream("oak-lane", request.Medical):   true,
		practice.ClosuresStream("elm-street"):                true,
		practice.ClosuresStream("oak-lane"):                  true,
		practice.StreamOf("elm-street"):                      true,
	}
	if len(streams) != 6 {
		t.Errorf("%d streams for six things", len(streams))
	}
}
