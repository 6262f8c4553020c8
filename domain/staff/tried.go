package staff

import (
	"slices"
	"time"

	"frontdesk/domain/event"
)

// TellEvery is how often the log is told of tries at one account, at most.
const TellEvery = time.Minute

// Tried is what was tried at an account and the log has not been told of.
type Tried struct {
	Failed SignInFailed // zero for no tries
	Locked LockedOut    // zero if nobody is locked out
}

// mostSources bounds the sources of one event.
const mostSources = 10

// Fail counts one more try.
func (t *Tried) Fail(how How, from Source, at time.Time) {
	f := &t.Failed
	if f.Tries == nil {
		f.Tries, f.Since = map[How]int{}, at
	}
	f.Tries[how]++
	if len(f.Sources) < mostSources && !slices.Contains(f.Sources, from) {
		f.Sources = append(f.Sources, from)
	}
}

// None reports whether there is nothing to tell.
func (t *Tried) None() bool { return t.Failed.Tries == nil && t.Locked.Until.IsZero() }

// Told forgets what the log has been told of.
func (t *Tried) Told(events []event.Event) {
	for _, e := range events {
		switch e.(type) {
		case SignInFailed:
			t.Failed = SignInFailed{}
		case LockedOut:
			t.Locked = LockedOut{}
		}
	}
}

// Watch is when the log was last told of tries at an account on a day.
type Watch struct{ failed, locked time.Time }

// Tell tells the log of what was tried, if it was not told of the same within the last
// minute; what it is not told of now goes on being counted (rule 6).
func (w Watch) Tell(member ID, t Tried, now time.Time) (events []event.Event, err error) {
	if t.Failed.Tries != nil && !now.Before(w.failed.Add(TellEvery)) {
		t.Failed.Staff, t.Failed.Until = member, now
		events = append(events, t.Failed)
	}
	if !t.Locked.Until.IsZero() && !now.Before(w.locked.Add(TellEvery)) {
		t.Locked.Staff = member
		events = append(events, t.Locked)
	}
	return events, nil
}

// Apply returns the watch as it is after the event.
func (w Watch) Apply(e event.Event) Watch {
	switch e := e.(type) {
	case SignInFailed:
		w.failed = e.Until
	case LockedOut:
		w.locked = e.At
	}
	return w
}

// Events returns the events of the stream of a day's failed attempts.
func (Watch) Events() []event.Event { return []event.Event{SignInFailed{}, LockedOut{}} }
