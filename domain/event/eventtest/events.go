package eventtest

import (
	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// Counted is an event for tests of stores.
type Counted struct {
	N int `json:"n"`
}

// Noted is an event about a patient, for tests of stores.
type Noted struct {
	Patient uuid.UUID `json:"patient"`
	Note    string    `json:"note" personal:"patient"`
}

// EventName implements [event.Event].
func (Counted) EventName() string { return "test.counted.v1" }

// EventName implements [event.Event].
func (Noted) EventName() string { return "test.noted.v1" }

// PatientID implements [event.Patient].
func (n Noted) PatientID() uuid.UUID { return n.Patient }

// Events are the events of this package.
func Events() []event.Event { return []event.Event{Counted{}, Noted{}} }
