package staff

import (
	"slices"
	"time"

	"frontdesk/domain/event"
)

// TriesInterval is the minimum interval between events about failed attempts at one
// account.
const TriesInterval = time.Minute

// Tried is the failed attempts at an account that are not recorded yet.
type Tried struct {
	Failed SignInFailed // zero for no tries
	Locked LockedOut    // zero if there is no lock
}

// mostSources limits the sources of one event.
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

// None reports whether there is nothing to record.
func (t *Tried) None() bool { return t.Failed.Tries == nil && t.Locked.Until.IsZero() }

// Clear removes the attempts that were recorded.
func (t *Tried) Clear(events []event.Event) {
	for _, e := range events {
		switch e.(type) {
		case SignInFailed:
			t.Failed = SignInFailed{}
		case LockedOut:
			t.Locked = LockedOut{}
		}
	}
}

// Watch is the time of the last events about failed attempts at an account on a day.
type Watch struct{ failed, locked time.Time }

// Record records the attempts, unless it recorded some of the same kind within the last
// minute; the rest is counted for the next event (rule 7).
func (w Watch) Record(member ID, t Tried, now time.Time) (events []event.Event, err error) {
	if t.Failed.Tries != nil && !now.Before(w.failed.Add(TriesInterval)) {
		t.Failed.Staff, t.Failed.Until = member, now
		events = append(events, t.Failed)
	}
	if !t.Locked.Until.IsZero() && !now.Before(w.locked.Add(TriesInterval)) {
		t.Locked.Staff = member
		events = append(events, t.Locked)
	}
	return events, nil
}

// Apply returns the watch after the event.
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
