package eventtest

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// History is the state before a decision.
type History[S event.State[S]] struct{ state S }

// Outcome is the result of a decision.
type Outcome struct {
	events []event.Event
	err    error
}

// Decided is the outcome of a decision without a state, because its stream begins with
// it.
func Decided(events []event.Event, err error) Outcome { return Outcome{events, err} }

// Given returns the state after a history.
func Given[S event.State[S]](history ...event.Event) History[S] {
	return History[S]{event.Fold[S](history...)}
}

// When takes a decision.
func (h History[S]) When(decide func(S) ([]event.Event, error)) Outcome {
	events, err := decide(h.state)
	return Outcome{events, err}
}

// Then fails unless the decision returned exactly these events. Without any, it must
// have returned none.
func (o Outcome) Then(t testing.TB, want ...event.Event) {
	t.Helper()
	if o.err != nil {
		t.Errorf("refused: %v", o.err)
		return
	}
	if len(want) == 0 && len(o.events) == 0 {
		return
	}
	if diff := cmp.Diff(want, o.events); diff != "" {
		t.Errorf("decided (-want +got):\n%s", diff)
	}
}

// Refuses fails unless the decision was refused for this reason and returned no
// events.
func (o Outcome) Refuses(t testing.TB, want error) {
	t.Helper()
	if !errors.Is(o.err, want) {
		t.Errorf("error = %v, want %v", o.err, want)
	}
	if len(o.events) > 0 {
		t.Errorf("refused, and yet decided %v", o.events)
	}
}

// Counted is an event for tests of stores.
type Counted struct {
	N int `json:"n"`
}

// Noted is an event about a patient with a personal text, for tests of stores.
type Noted struct {
	Patient uuid.UUID `json:"patient"`
	Note    string    `json:"note" personal:"patient"`
}

// Marked is an event about a patient with nothing personal in it, for tests of stores.
type Marked struct {
	Patient uuid.UUID `json:"patient"`
	Mark    string    `json:"mark"`
}

// EventName returns the name that the event is stored under.
func (Counted) EventName() string { return "test.counted.v1" }

// EventName returns the name that the event is stored under.
func (Noted) EventName() string { return "test.noted.v1" }

// EventName returns the name that the event is stored under.
func (Marked) EventName() string { return "test.marked.v1" }

// PatientID returns the patient of the event.
func (m Marked) PatientID() uuid.UUID { return m.Patient }

// PatientID returns the patient of the event.
func (n Noted) PatientID() uuid.UUID { return n.Patient }

// Events returns an empty event of each type of this package.
func Events() []event.Event { return []event.Event{Counted{}, Marked{}, Noted{}} }
