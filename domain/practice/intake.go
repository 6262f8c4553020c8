package practice

import (
	"slices"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/practice/hours"
	"frontdesk/domain/request"
)

// RequestTypeSwitchedOff records that the practice accepts no requests of a type until
// it is switched on again.
type RequestTypeSwitchedOff struct {
	RequestType request.Type `json:"requestType"`
}

// RequestTypeSwitchedOn records that it accepts them again.
type RequestTypeSwitchedOn struct {
	RequestType request.Type `json:"requestType"`
}

// RequestTypePaused records that it accepts none for a while: until Until, exclusive,
// or until it resumes, if Until is zero.
type RequestTypePaused struct {
	RequestType request.Type `json:"requestType"`
	Until       time.Time    `json:"until,omitzero"`
}

// RequestTypeResumed records that a pause was ended.
type RequestTypeResumed struct {
	RequestType request.Type `json:"requestType"`
}

// OpeningHoursSet records when it accepts requests of a type. No hours means at all
// hours.
type OpeningHoursSet struct {
	RequestType request.Type `json:"requestType"`
	Hours       hours.Week   `json:"hours,omitempty"`
}

// EventName returns the name that the event is stored under.
func (RequestTypeSwitchedOff) EventName() string { return "practice.request-type-switched-off.v1" }

// EventName returns the name that the event is stored under.
func (RequestTypeSwitchedOn) EventName() string { return "practice.request-type-switched-on.v1" }

// EventName returns the name that the event is stored under.
func (RequestTypePaused) EventName() string { return "practice.request-type-paused.v1" }

// EventName returns the name that the event is stored under.
func (RequestTypeResumed) EventName() string { return "practice.request-type-resumed.v1" }

// EventName returns the name that the event is stored under.
func (OpeningHoursSet) EventName() string { return "practice.opening-hours-set.v1" }

// ErrInvalidPause refuses a pause that would be over already.
var ErrInvalidPause = fault.New(fault.Invalid, "invalid-pause", "A pause must end in the future.")

// IntakeStream returns the stream of a practice's settings for requests of a type.
func IntakeStream(tenant string, typ request.Type) event.Stream {
	return event.Stream{Tenant: tenant, ID: event.DerivedID("intake", tenant, string(typ))}
}

// Intake is a practice's settings for requests of one type. The zero value accepts them
// at all hours.
type Intake struct {
	SwitchedOff bool
	Paused      bool      // a pause was begun and not ended by hand
	PausedUntil time.Time // when it expires, exclusive; zero for never
	Hours       hours.Week
}

// SwitchOff stops requests of the type. Switching off twice changes nothing.
func (i Intake) SwitchOff(typ request.Type) ([]event.Event, error) {
	if i.SwitchedOff {
		return nil, nil
	}
	return []event.Event{RequestTypeSwitchedOff{typ}}, nil
}

// SwitchOn accepts them again. Switching on twice changes nothing.
func (i Intake) SwitchOn(typ request.Type) ([]event.Event, error) {
	if !i.SwitchedOff {
		return nil, nil
	}
	return []event.Event{RequestTypeSwitchedOn{typ}}, nil
}

// Pause stops requests of the type until an instant, or until it is resumed if
// that is zero. During a pause, another end replaces the earlier one.
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

// Resume ends a pause. Without one, or if it has ended, nothing changes.
func (i Intake) Resume(typ request.Type, now time.Time) ([]event.Event, error) {
	if _, paused := i.pausedUntil(now); !paused {
		return nil, nil
	}
	return []event.Event{RequestTypeResumed{typ}}, nil
}

// SetHours sets the hours at which requests of the type are accepted. The same hours
// again change nothing.
func (i Intake) SetHours(typ request.Type, week hours.Week) ([]event.Event, error) {
	if slices.Equal(i.Hours, week) {
		return nil, nil
	}
	return []event.Event{OpeningHoursSet{typ, week}}, nil
}

// pausedUntil returns the end of the pause that covers an instant, or zero for no end,
// and whether there is such a pause.
func (i Intake) pausedUntil(t time.Time) (time.Time, bool) {
	return i.PausedUntil, i.Paused && Span{Until: i.PausedUntil}.lasts(t)
}

// IsPaused reports whether a pause covers an instant.
func (i Intake) IsPaused(at time.Time) bool {
	_, paused := i.pausedUntil(at)
	return paused
}

// Apply returns the intake after the event.
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

// Events returns the events of an intake's stream.
func (Intake) Events() []event.Event {
	return []event.Event{
		RequestTypeSwitchedOff{}, RequestTypeSwitchedOn{}, RequestTypePaused{}, RequestTypeResumed{}, OpeningHoursSet{},
	}
}

// intakeOf returns the request type whose intake an event changes, if it changes one.
func intakeOf(e event.Event) (typ request.Type, changes bool) {
	switch e := e.(type) {
	case RequestTypeSwitchedOff:
		return e.RequestType, true
	case RequestTypeSwitchedOn:
		return e.RequestType, true
	case RequestTypePaused:
		return e.RequestType, true
	case RequestTypeResumed:
		return e.RequestType, true
	case OpeningHoursSet:
		return e.RequestType, true
	}
	return "", false
}
