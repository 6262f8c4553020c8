package practice

import "time"

// Span is a stretch of time, from From until Until, exclusive. A zero Until is
// no end.
type Span struct{ From, Until time.Time }

// Covers reports whether an instant lies in the span.
func (s Span) Covers(t time.Time) bool { return !t.Before(s.From) && s.lasts(t) }

// lasts reports whether the span has not ended at an instant.
func (s Span) lasts(t time.Time) bool { return s.Until.IsZero() || t.Before(s.Until) }

// isEmpty reports whether the span ends before it could begin.
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

// instant cuts a time to what every store keeps of it: UTC, in microseconds.
func instant(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
