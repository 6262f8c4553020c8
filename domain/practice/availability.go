package practice

import (
	"maps"
	"slices"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/request"
)

// Reception is the rules and closures that decide when a practice accepts requests of
// one type. The check of a request and the patient portal use the same.
type Reception struct {
	Type     request.Type
	Intake   Intake
	Closures Closures
	Zone     *time.Location // of the practice
}

// Receptions are those of one practice, for all request types.
type Receptions struct {
	Intakes  map[request.Type]Intake // of the types that the practice has ever changed
	Closures Closures
	Zone     *time.Location // nil if they were not read, or if the practice does not exist
}

// Reception returns the reception of requests of one type.
func (r Receptions) Reception(typ request.Type) Reception {
	return Reception{Type: typ, Intake: r.Intakes[typ], Closures: r.Closures, Zone: r.Zone}
}

// After returns the receptions after events of the practice, or after possible ones.
func (r Receptions) After(events ...event.Event) Receptions {
	intakes := maps.Clone(r.Intakes)
	if intakes == nil {
		intakes = map[request.Type]Intake{}
	}
	r.Intakes = intakes
	for _, e := range events {
		r.Closures = r.Closures.Apply(e)
		if typ, ok := intakeOf(e); ok {
			intakes[typ] = intakes[typ].Apply(e)
		}
	}
	return r
}

// IsClosed reports whether the practice is closed at an instant, by a closure or by the
// opening hours of all request types. Pauses and types that are switched off are about
// requests only.
func (r Receptions) IsClosed(at time.Time) bool {
	if slices.ContainsFunc(r.Closures, func(c Span) bool { return c.Covers(at) }) {
		return true
	}
	return !slices.ContainsFunc(request.Types(), func(typ request.Type) bool {
		return r.Intakes[typ].Hours.Next(at, r.Zone).Equal(at)
	})
}

// Status is whether requests are accepted, or the rule that refuses them.
type Status string

// The statuses. Those other than open are the codes of the refusals.
const (
	TypeOpen     Status = "open"
	TypeDisabled Status = "request-type-disabled"
	TypePaused   Status = "request-type-paused"
	TypeClosed   Status = "request-type-closed"
)

// Availability is whether a practice accepts requests of a type at an instant.
type Availability struct {
	Type        request.Type
	Status      Status
	NextOpening time.Time // when it opens next; zero if it is open, or if that is unknown
}

// Availability decides rule 5: switched off comes before paused, and paused before closed.
func (r Reception) Availability(now time.Time) Availability {
	a := Availability{Type: r.Type, Status: TypeOpen}
	if r.Intake.SwitchedOff {
		a.Status = TypeDisabled
		return a
	}
	opening := r.opening(now)
	if opening.Equal(now) {
		return a
	}
	a.Status, a.NextOpening = TypeClosed, opening
	if _, paused := r.Intake.pausedUntil(now); paused {
		a.Status = TypePaused
	}
	return a
}

// opening returns the first instant, not before t, outside of all pauses and closures
// and within the opening hours. It is zero if there is no known one.
func (r Reception) opening(t time.Time) time.Time {
	for {
		next := r.Intake.Hours.Next(t, r.Zone)
		if end, closed := r.Closures.until(t); closed {
			next = end
		}
		if end, paused := r.Intake.pausedUntil(t); paused {
			next = end
		}
		if next.IsZero() || next.Equal(t) {
			return next.UTC()
		}
		t = next
	}
}

// Closing returns when the practice stops accepting requests that it accepts at an
// instant, if its settings stay the same. It is zero if it never stops, and if it does
// not accept them.
func (r Reception) Closing(now time.Time) time.Time {
	if r.Availability(now).Status != TypeOpen {
		return time.Time{}
	}
	closing := r.Intake.Hours.Until(now, r.Zone)
	for _, closure := range r.Closures {
		if closure.From.After(now) && (closing.IsZero() || closure.From.Before(closing)) {
			closing = closure.From
		}
	}
	return closing.UTC()
}

// The refusals of a valid request.
var (
	ErrTypeDisabled = fault.New(fault.Refused, string(TypeDisabled),
		"The organisation has this request type switched off. Do not retry.")
	ErrTypePaused = fault.New(fault.Refused, string(TypePaused),
		"The organisation has paused this request type. It is safe to retry later.")
	ErrTypeClosed = fault.New(fault.Refused, string(TypeClosed),
		"The organisation is closed, or it is outside its opening hours for this request type. It is safe to retry later.")
)

// Err returns nil if requests are accepted, and the refusal if not. A refusal that is
// safe to retry has the time of the next opening, if it is known.
func (a Availability) Err() error {
	switch a.Status {
	case TypeDisabled:
		return ErrTypeDisabled
	case TypePaused:
		return a.retriable(ErrTypePaused)
	case TypeClosed:
		return a.retriable(ErrTypeClosed)
	default:
		return nil
	}
}

// WithOpening returns the refusal with the sentence that also has the time of the next
// opening.
func WithOpening(refusal *fault.Error) *fault.Error {
	return refusal.Worded(refusal.Detail + " The next opening is %s.")
}

func (a Availability) retriable(refusal *fault.Error) error {
	if a.NextOpening.IsZero() {
		return refusal
	}
	return WithOpening(refusal).Filled(a.NextOpening.Format(time.RFC3339)).Until(a.NextOpening)
}
