package event

import (
	"errors"
	"time"

	"github.com/google/uuid"
)

// Event is something that happened. Implementations are plain structs in the
// past tense with JSON tags.
type Event interface {
	// EventName is the permanent stored name, with its version:
	// "patient-request.submitted.v1". It is a literal, never derived.
	EventName() string
}

// Patient is implemented by events that concern one patient, so that stores
// can index them and auditors can find them.
type Patient interface {
	Event
	// PatientID is the patient concerned; zero if there is none after all.
	PatientID() uuid.UUID
}

// State is what rules ask about one stream. The zero value is the state of a
// stream without events.
type State[S State[S]] interface {
	// Apply returns the state after e. It assigns and never refuses; an event
	// that the state does not care about returns it unchanged.
	Apply(e Event) S
}

// Fold is the state after a history, oldest event first.
func Fold[S State[S]](history ...Event) S {
	var state S
	for _, e := range history {
		state = state.Apply(e)
	}
	return state
}

// Stream names the history of one thing.
type Stream struct {
	Tenant string    // the practice it belongs to; "" for what belongs to none (D18)
	ID     uuid.UUID // opaque, never made from a name or a number of a person
}

// Change is events to append to one stream.
type Change struct {
	Stream   Stream
	Expected int // the stream's version when the decision was taken: its number of events
	Events   []Event
}

// ErrConflict says that a stream has moved since a decision was taken:
// decide again on fresh state.
var ErrConflict = errors.New("the stream has changed since it was read")

// Recorded is an event in the log.
type Recorded struct {
	Event
	Idx      int64     // place in the dense log, from 1; 0 until the sequencer has placed it
	ID       uuid.UUID // UUIDv7
	Stream   Stream
	Version  int       // place in its stream, from 1
	At       time.Time // when it was recorded, in microseconds, UTC
	Metadata Metadata
}
