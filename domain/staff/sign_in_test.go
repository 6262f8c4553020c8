package staff_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/staff"
)

var (
	lee       = staff.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-00000000000a")}
	session   = uuid.MustParse("0190c7a2-0000-7000-8000-0000000000d1")
	signedIn  = staff.SignedIn{Staff: lee, Session: session, How: staff.ByPassword, Source: "5f0c1e2d3a4b5c6d", At: monday}
	signedOut = staff.SignedOut{Staff: lee, Session: session, At: monday.Add(time.Hour)}
	failed    = staff.SignInFailed{
		Staff: lee, Tries: map[staff.How]int{staff.ByPassword: 3, staff.ByPasswordAndPasskey: 1},
		Sources: []staff.Source{"5f0c1e2d3a4b5c6d"}, Since: monday, Until: monday.Add(time.Minute),
	}
	lockedOut = staff.LockedOut{Staff: lee, Source: "5f0c1e2d3a4b5c6d", Everywhere: true, At: monday, Until: monday.Add(2 * time.Minute)}
)

func TestSessionIsLoggedOnceAtEachEnd_D65(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[staff.Session]
	begin := func(s staff.Session) ([]event.Event, error) { return s.Begin(signedIn) }
	end := func(s staff.Session) ([]event.Event, error) { return s.End(signedOut) }

	given().When(begin).Then(t, signedIn)
	given(signedIn).When(begin).Then(t)
	given(signedIn).When(end).Then(t, signedOut)
	given(signedIn, signedOut).When(end).Then(t)
	given().When(end).Then(t, signedOut)           // of an earlier release, or recorded by another process, which is slower
	given(signedOut).When(begin).Then(t, signedIn) // which comes now
}

func TestTriesAreLoggedOncePerMinute_D65(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[staff.Watch]
	tried := func(t staff.Tried, after time.Duration) func(staff.Watch) ([]event.Event, error) {
		return func(w staff.Watch) ([]event.Event, error) { return w.Record(lee, t, monday.Add(after)) }
	}
	failedAt := func(after time.Duration) staff.SignInFailed {
		f := failed
		f.Until = monday.Add(after)
		return f
	}
	fails, locks, both := staff.Tried{Failed: failed}, staff.Tried{Locked: lockedOut}, staff.Tried{Failed: failed, Locked: lockedOut}

	given().When(tried(staff.Tried{}, 0)).Then(t)
	given().When(tried(both, 0)).Then(t, failedAt(0), lockedOut)
	given(failedAt(0)).When(tried(fails, time.Minute-time.Microsecond)).Then(t)
	given(failedAt(0)).When(tried(fails, time.Minute)).Then(t, failedAt(time.Minute))
	given(failedAt(0)).When(tried(both, 30*time.Second)).Then(t, lockedOut)
	given(lockedOut).When(tried(both, 30*time.Second)).Then(t, failedAt(30*time.Second))
	given(lockedOut).When(tried(locks, 59*time.Second)).Then(t)
	given(lockedOut).When(tried(locks, time.Minute)).Then(t, lockedOut)
}

func TestTriesAreCounted_D65(t *testing.T) {
	t.Parallel()
	var tried staff.Tried
	if !tried.None() {
		t.Error("there is something to tell of nothing")
	}
	for n := range 30 {
		tried.Fail(staff.ByPassword, staff.Source(fmt.Sprint(n/2)), monday.Add(time.Duration(n)*time.Second))
	}
	tried.Fail(staff.ByPasskey, "0", monday.Add(time.Hour))
	want := staff.SignInFailed{
		Tries:   map[staff.How]int{staff.ByPassword: 30, staff.ByPasskey: 1},
		Sources: []staff.Source{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, Since: monday,
	}
	if diff := cmp.Diff(want, tried.Failed); diff != "" {
		t.Error(diff)
	}
	tried.Locked = lockedOut
	tried.Clear([]event.Event{tried.Failed})
	if tried.None() || tried.Failed.Tries != nil {
		t.Errorf("left to tell: %+v", tried)
	}
	if tried.Clear([]event.Event{lockedOut}); !tried.None() {
		t.Errorf("left to tell: %+v", tried)
	}
}

// Strangers control the length of this stream, and every decision about a member of
// staff reads the member's own.
func TestTriesAreInAStreamOfTheirDay_D65(t *testing.T) {
	t.Parallel()
	late := time.Date(2026, 3, 2, 23, 59, 0, 0, time.UTC)
	of := func(at time.Time) event.Stream { return staff.TriesStream("elm-street", lee, at) }
	switch {
	case of(monday) != of(late), of(late) != of(late.In(time.FixedZone("", 3600))):
		t.Error("one day has two streams")
	case of(late) == of(late.Add(time.Minute)):
		t.Error("two days have one stream")
	case of(late).ID == lee.UUID, of(late).ID == staff.TriesStream("oak-lane", lee, late).ID:
		t.Error("the stream is somebody else's")
	}
}
