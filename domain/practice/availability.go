package practice

import (
	"time"

	"frontdesk/domain/fault"
	"frontdesk/domain/request"
)

// Reception is everything that decides when a practice takes requests of one
// type: what the check of a request and the patient portal both ask (§1, D24).
type Reception struct {
	Type     request.Type
	Intake   Intake
	Closures Closures
	Zone     *time.Location // of the practice
}

// Status says whether requests are taken, or which rule refuses them.
type Status string

// The statuses: open, and the codes of §7.1 (D24).
const (
	TypeOpen     Status = "open"
	TypeDisabled Status = "request-type-disabled"
	TypePaused   Status = "request-type-paused"
	TypeClosed   Status = "request-type-closed"
)

// Availability is whether a practice takes requests of a type at an instant.
type Availability struct {
	Type        request.Type
	Status      Status
	NextOpening time.Time // when it will be open next; zero if it is open, or if nobody knows
}

// At is rule 5: switched off comes before paused, and that before closed (D2).
func (r Reception) At(now time.Time) Availability {
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

// opening is the first instant, not before t, at which no pause, no closure
// and no hours stand against a request; zero if nobody knows.
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

// What refuses a request that is sound (§7.1).
var (
	ErrTypeDisabled = fault.New(fault.Refused, string(TypeDisabled),
		"The organisation has this request type switched off. Do not retry.")
	ErrTypePaused = fault.New(fault.Refused, string(TypePaused),
		"The organisation has paused this request type. It is safe to retry later.")
	ErrTypeClosed = fault.New(fault.Refused, string(TypeClosed),
		"The organisation is closed, or it is outside its opening hours for this request type. It is safe to retry later.")
)

// Err is nil when requests are taken, and otherwise the refusal of §7.1. One
// that is safe to retry says from when on, if that is known.
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

func (a Availability) retriable(refusal *fault.Error) error {
	if a.NextOpening.IsZero() {
		return refusal
	}
	return refusal.With("%s The next opening is %s.", refusal.Detail, a.NextOpening.Format(time.RFC3339)).Until(a.NextOpening)
}
