package practice

import (
	"slices"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/practice/hours"
	"frontdesk/domain/request"
)

// ErrInvalidPause is the refusal of a pause that would be over already.
var ErrInvalidPause = fault.New(fault.Invalid, "invalid-pause", "A pause ends in the future.")

// IntakeStream is the stream of how a practice takes requests of a type.
func IntakeStream(tenant string, typ request.Type) event.Stream {
	return event.Stream{Tenant: tenant, ID: event.DerivedID("intake", tenant, string(typ))}
}

// Intake is how a practice takes requests of one type: at all hours, unless it
// says otherwise.
type Intake struct {
	SwitchedOff bool
	Paused      bool      // a pause was begun and not ended by hand
	PausedUntil time.Time // when it ends by itself, exclusive; zero for never
	Hours       hours.Week
}

// SwitchOff is rule 3. Switching off twice changes nothing.
func (i Intake) SwitchOff(typ request.Type) ([]event.Event, error) {
	if i.SwitchedOff {
		return nil, nil
	}
	return []event.Event{RequestTypeSwitchedOff{typ}}, nil
}

// SwitchOn is rule 3. Switching on twice changes nothing.
func (i Intake) SwitchOn(typ request.Type) ([]event.Event, error) {
	if !i.SwitchedOff {
		return nil, nil
	}
	return []event.Event{RequestTypeSwitchedOn{typ}}, nil
}

// Pause is rule 3: until an instant, or until it is resumed, if that is zero.
// Another end replaces the one of a pause that lasts.
func (i Intake) Pause(typ request.Type, until, now time.Time) ([]event.Event, error) {
	if !until.IsZero() {
		until = instant(until)
	}
	pause := Span{From: now, Until: until}
	_, paused := i.pausedUntil(now)
	switch {
	case pause.isEmpty():
		return nil, ErrInvalidPause
	case paused && i.PausedUntil.Equal(until):
		return nil, nil
	}
	return []event.Event{RequestTypePaused{typ, until}}, nil
}

// Resume is rule 3. Resuming what is not paused, or no more, changes nothing.
func (i Intake) Resume(typ request.Type, now time.Time) ([]event.Event, error) {
	if _, paused := i.pausedUntil(now); !paused {
		return nil, nil
	}
	return []event.Event{RequestTypeResumed{typ}}, nil
}

// SetHours is rule 3. Setting the same hours again changes nothing.
func (i Intake) SetHours(typ request.Type, week hours.Week) ([]event.Event, error) {
	if slices.Equal(i.Hours, week) {
		return nil, nil
	}
	return []event.Event{OpeningHoursSet{typ, week}}, nil
}

// pausedUntil is when the pause that covers an instant ends, zero for never,
// and whether there is one.
func (i Intake) pausedUntil(t time.Time) (time.Time, bool) {
	return i.PausedUntil, i.Paused && Span{Until: i.PausedUntil}.lasts(t)
}

// Apply implements [event.State].
func (i Intake) Apply(e event.Event) Intake {
	switch e := e.(type) {
	case RequestTypeSwitchedOff:
		i.SwitchedOff = true
	case RequestTypeSwitchedOn:
		i.SwitchedOff = false
	case RequestTypePaused:
		i.Paused, i.PausedUntil = true, e.Until
	case RequestTypeResumed:
		i.Paused, i.PausedUntil = false, time.Time{}
	case OpeningHoursSet:
		i.Hours = e.Hours
	}
	return i
}
