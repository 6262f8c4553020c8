package practice

import (
	"slices"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// Closed records that the practice accepts no requests of any type from From until
// Until, exclusive. A zero Until means for good.
type Closed struct {
	From  time.Time `json:"from"`
	Until time.Time `json:"until,omitzero"`
}

// Reopened records that it accepts them from From on after all. Until is when it would
// have opened anyway, and zero if it would not have.
type Reopened struct {
	From  time.Time `json:"from"`
	Until time.Time `json:"until,omitzero"`
}

// EventName returns the name that the event is stored under.
func (Closed) EventName() string { return "practice.closed.v1" }

// EventName returns the name that the event is stored under.
func (Reopened) EventName() string { return "practice.reopened.v1" }

// ErrInvalidClosure refuses a closure with impossible times.
var ErrInvalidClosure = fault.New(fault.Invalid, "invalid-closure", "A closure must end after it begins, and must not end in the past.")

// ClosuresStream returns the stream of a practice's closures.
func ClosuresStream(tenant string) event.Stream {
	return event.Stream{Tenant: tenant, ID: event.DerivedID("closures", tenant)}
}

// Closures are the spans in which a practice is closed for every request type.
// No two of them touch.
type Closures []Span

// Close closes the practice (rule 4). A zero from means now, and a zero until means
// until it is reopened. If it is closed for all that time already, nothing changes.
func (c Closures) Close(from, until, now time.Time) ([]event.Event, error) {
	if from.IsZero() {
		from = now
	}
	closure := Span{From: instant(from), Until: until}
	if !until.IsZero() {
		closure.Until = instant(until)
	}
	switch {
	case closure.isEmpty(), !closure.lasts(now):
		return nil, ErrInvalidClosure
	case slices.ContainsFunc(c, closure.isWithin):
		return nil, nil
	}
	return []event.Event{Closed(closure)}, nil
}

// Reopen ends the closure that covers an instant, at that instant (rule 4).
// Other closures stay.
func (c Closures) Reopen(from time.Time) ([]event.Event, error) {
	from = instant(from)
	until, closed := c.until(from)
	if !closed {
		return nil, nil
	}
	return []event.Event{Reopened{from, until}}, nil
}

// until returns the end of the closure that covers an instant, or zero for no end, and
// whether there is such a closure.
func (c Closures) until(t time.Time) (time.Time, bool) {
	for _, closure := range c {
		if closure.Covers(t) {
			return closure.Until, true
		}
	}
	return time.Time{}, false
}

// Apply returns the closures after the event.
func (c Closures) Apply(e event.Event) Closures {
	switch e := e.(type) {
	case Closed:
		return c.with(Span(e))
	case Reopened:
		return c.cutAt(e.From)
	}
	return c
}

// Events returns the events of the stream of a practice's closures.
func (Closures) Events() []event.Event { return []event.Event{Closed{}, Reopened{}} }

// with adds a closure and joins it with those that it touches.
func (c Closures) with(closure Span) Closures {
	var apart Closures
	for _, other := range c {
		if closure.touches(other) {
			closure = closure.join(other)
		} else {
			apart = append(apart, other)
		}
	}
	return append(apart, closure)
}

// cutAt ends the closure that covers an instant at that instant.
func (c Closures) cutAt(t time.Time) Closures {
	left := slices.Clone(c)
	for n, closure := range left {
		if closure.Covers(t) {
			left[n].Until = t
		}
	}
	return slices.DeleteFunc(left, Span.isEmpty)
}

// Span is a period from From until Until, exclusive. It has no end if Until is zero.
type Span struct{ From, Until time.Time }

// Covers reports whether an instant is in the span.
func (s Span) Covers(t time.Time) bool { return !t.Before(s.From) && s.lasts(t) }

// lasts reports whether the span has not ended at an instant.
func (s Span) lasts(t time.Time) bool { return s.Until.IsZero() || t.Before(s.Until) }

// isEmpty reports whether the span ends before it begins.
func (s Span) isEmpty() bool { return !s.lasts(s.From) }

// isWithin reports whether another span covers all of this one.
func (s Span) isWithin(other Span) bool {
	ends := other.Until.IsZero() || !s.Until.IsZero() && !s.Until.After(other.Until)
	return !s.From.Before(other.From) && ends
}

// touches reports whether two spans overlap, or one begins where the other
// ends.
func (s Span) touches(other Span) bool {
	return !s.endsBefore(other.From) && !other.endsBefore(s.From)
}

func (s Span) endsBefore(t time.Time) bool { return !s.Until.IsZero() && s.Until.Before(t) }

// join is the span that covers both of two that touch.
func (s Span) join(other Span) Span {
	if other.From.Before(s.From) {
		s.From = other.From
	}
	if s.isEndedBy(other) {
		s.Until = other.Until
	}
	return s
}

// isEndedBy reports whether another span lasts longer.
func (s Span) isEndedBy(other Span) bool {
	return !s.Until.IsZero() && (other.Until.IsZero() || other.Until.After(s.Until))
}

// instant truncates a time to the microseconds of every store, in UTC.
func instant(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
