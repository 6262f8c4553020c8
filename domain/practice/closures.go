package practice

import (
	"slices"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// Closed says that the practice takes no requests of any type from From until
// Until, exclusive; for good, if that is zero.
type Closed struct {
	From  time.Time `json:"from"`
	Until time.Time `json:"until,omitzero"`
}

// Reopened says that it takes them after all from From on, and until Until,
// where it would have opened anyway; zero, if it would not have.
type Reopened struct {
	From  time.Time `json:"from"`
	Until time.Time `json:"until,omitzero"`
}

// EventName implements [event.Event].
func (Closed) EventName() string { return "practice.closed.v1" }

// EventName implements [event.Event].
func (Reopened) EventName() string { return "practice.reopened.v1" }

// ErrInvalidClosure is the refusal of a closure that could not be meant.
var ErrInvalidClosure = fault.New(fault.Invalid, "invalid-closure", "A closure ends after it begins, and not in the past.")

// ClosuresStream is the stream of a practice's closures.
func ClosuresStream(tenant string) event.Stream {
	return event.Stream{Tenant: tenant, ID: event.DerivedID("closures", tenant)}
}

// Closures is when a practice is closed for every request type: spans of which
// no two touch.
type Closures []Span

// Close is rule 4: now, if from is zero; until it is reopened, if until is. A
// time at which the practice is closed already changes nothing.
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

// Reopen is rule 4: the closure that covers an instant ends with it. Others
// stay.
func (c Closures) Reopen(from time.Time) ([]event.Event, error) {
	from = instant(from)
	until, closed := c.until(from)
	if !closed {
		return nil, nil
	}
	return []event.Event{Reopened{from, until}}, nil
}

// until is when the closure that covers an instant ends, zero for never, and
// whether there is one.
func (c Closures) until(t time.Time) (time.Time, bool) {
	for _, closure := range c {
		if closure.Covers(t) {
			return closure.Until, true
		}
	}
	return time.Time{}, false
}

// Apply implements [event.State].
func (c Closures) Apply(e event.Event) Closures {
	switch e := e.(type) {
	case Closed:
		return c.with(Span(e))
	case Reopened:
		return c.cutAt(e.From)
	}
	return c
}

// with joins what touches the new closure.
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

// cutAt ends the closure that covers an instant there.
func (c Closures) cutAt(t time.Time) Closures {
	left := slices.Clone(c)
	for n, closure := range left {
		if closure.Covers(t) {
			left[n].Until = t
		}
	}
	return left
}
