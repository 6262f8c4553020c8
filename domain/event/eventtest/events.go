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

// EventName returns the name that the event is stored under.
func (Counted) EventName() string { return "test.counted.v1" }

// EventName returns the name that the event is stored under.
func (Noted) EventName() string { return "test.noted.v1" }

// PatientID returns the patient whom the event is about.
func (n Noted) PatientID() uuid.UUID { return n.Patient }

// Events returns an empty event of each type of this package.
func Events() []event.Event { return []event.Event{Counted{}, Noted{}} }
