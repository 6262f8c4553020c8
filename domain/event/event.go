package event

import (
	"encoding/binary"
	"errors"
	"slices"
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

// Patient is an event about one patient. Stores index such events by their
// patient, so that auditors can find them.
type Patient interface {
	Event
	// PatientID returns the patient concerned, and zero if there is none.
	PatientID() uuid.UUID
}

// Moved is an event that links its stream to another patient, whom it is about. What is
// sealed under a key of the stream's own is that patient's from then on.
type Moved interface {
	Patient
	// FormerPatientID returns the patient to whom the stream was linked before.
	FormerPatientID() uuid.UUID
}

// State is what decisions need to know of one stream. The zero value is the
// state of a stream without events.
type State[S State[S]] interface {
	// Apply returns the state after e. It assigns and never refuses; an event
	// that the state does not care about returns it unchanged.
	Apply(e Event) S
	// Events returns an empty event of each type that the stream may hold.
	Events() []Event
}

// Fold returns the state after a history, oldest event first.
func Fold[S State[S]](history ...Event) S {
	var state S
	for _, e := range history {
		state = state.Apply(e)
	}
	return state
}

// Foreign returns the first event of a history that a stream of S may not hold, or nil.
func Foreign[S State[S]](history ...Event) Event {
	var state S
	own := state.Events()
	for _, e := range history {
		name := e.EventName()
		if !slices.ContainsFunc(own, func(o Event) bool { return o.EventName() == name }) {
			return e
		}
	}
	return nil
}

// Stream names the history of one thing. Its key is both fields: two practices may each
// have a stream with the same ID.
type Stream struct {
	Tenant string    // the practice it belongs to; "" if it belongs to none
	ID     uuid.UUID // opaque; never made from a person's name or number
}

// Change is events to append to one stream.
type Change struct {
	Stream    Stream
	Expected  int // the stream's version when the decision was taken: its number of events
	Events    []Event
	ID        uuid.UUID // of the first event; zero for a new one
	OfPatient bool      // the append is refused unless the practice has the patient whom the events are about
}

// ErrConflict says that a stream has changed since a decision was taken. Decide
// again on the new state.
var ErrConflict = errors.New("the stream has changed since it was read")

// ErrForeign says that a stream holds an event of another kind of stream. Nothing is
// appended to it: two things share one identifier, which is a fault of the program.
var ErrForeign = errors.New("the stream holds events of another kind")

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

// Stored is an event as its row in the database is. Its data and metadata are JSON. What
// is personal in them is sealed, and [Hidden] there; an event that was written before
// anything was sealed has it in clear.
type Stored struct {
	Idx            int64 // place in the dense log; 0 until the sequencer has placed it
	ID             uuid.UUID
	Stream         Stream
	Version        int
	At             time.Time
	Name           string
	Patient        uuid.UUID // whom it is about; zero if it is about nobody
	Data, Metadata []byte
	Sealed         []byte // boxes of personal values; nil if there are none
}

// NewID returns a new identifier, a UUIDv7 (D35).
func NewID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// LowestID returns the lowest identifier that [NewID] can return at an instant or later.
func LowestID(at time.Time) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[:8], uint64(at.UnixMilli())<<16)
	return id
}

// DerivedID returns the stream of a thing that is found by its parts, such as
// the standing authorisation of one member of staff for one application. It is
// the UUIDv5 of the thing's kind and of the opaque identifiers of its parts.
func DerivedID(kind string, parts ...string) uuid.UUID {
	name := kind
	for _, part := range parts {
		name += "\x00" + part
	}
	return uuid.NewSHA1(frontdesk, []byte(name))
}

// frontdesk is the UUIDv5 name space of this program. It never changes.
var frontdesk = uuid.MustParse("6b0e2f8c-58f3-5a0f-9c57-1f3d1f6f5a11")
