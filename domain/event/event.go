package event

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Event is a fact of the past. Implementations are plain structs in the past tense with
// JSON tags.
type Event interface {
	// EventName is the permanent stored name, with its version:
	// "patient-request.submitted.v1". It is a literal, never derived.
	EventName() string
}

// Patient is an event about one patient. Stores index such events by their
// patient, so that auditors can find them.
type Patient interface {
	Event
	// PatientID returns the patient concerned; zero for no patient.
	PatientID() uuid.UUID
}

// Moved is an event that links its stream to another patient, who becomes its subject.
// Values that are encrypted under a key of the stream's own belong to that patient from
// then on.
type Moved interface {
	Patient
	// FormerPatientID returns the patient that the stream was linked to before.
	FormerPatientID() uuid.UUID
}

// State is the state of one stream that decisions need. The zero value is the state of
// a stream without events.
type State[S State[S]] interface {
	// Apply returns the state after e. It assigns and never refuses; for an event
	// without a case it returns the state unchanged.
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

// Stream identifies the history of one aggregate. Its key is both fields: two practices
// may each have a stream with the same ID.
type Stream struct {
	Tenant string    // the practice it belongs to; "" for a global stream
	ID     uuid.UUID // opaque; never made from a person's name or number
}

// Change is events to append to one stream.
type Change struct {
	Stream    Stream
	Expected  int // the stream's version when the decision was taken: its number of events
	Events    []Event
	ID        uuid.UUID // of the first event; zero for a new one
	OfPatient bool      // the append is refused unless the practice has the patient of the events
}

// ErrConflict means that a stream has changed since a decision was taken. Decide again
// on the new state.
var ErrConflict = errors.New("the stream has changed since it was read")

// ErrForeign means that a stream holds an event of another kind of stream. Nothing is
// appended to it: two aggregates share one identifier, which is a bug.
var ErrForeign = errors.New("the stream holds events of another kind")

// Recorded is an event in the log.
type Recorded struct {
	Event
	Idx      int64     // number in the dense log, from 1; 0 until the sequencer has placed it
	ID       uuid.UUID // UUIDv7
	Stream   Stream
	Version  int       // number in its stream, from 1
	At       time.Time // when it was recorded, in microseconds, UTC
	Metadata Metadata
}

// Stored is an event as its row in the database. Its data and metadata are JSON. Their
// personal values are encrypted, with [Hidden] in their place; an event that was
// written before encryption has them in clear.
type Stored struct {
	Idx            int64 // number in the dense log; 0 until the sequencer has placed it
	ID             uuid.UUID
	Stream         Stream
	Version        int
	At             time.Time
	Name           string
	Patient        uuid.UUID // the subject; zero if it is not about a patient
	Data, Metadata []byte
	Sealed         []byte // boxes of personal values; nil for an event without any
}

// NewID returns a new identifier, a UUIDv7 (D35).
func NewID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// LowestID returns the lowest identifier that [NewID] can return at an instant or later.
func LowestID(at time.Time) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[:8], uint64(at.UnixMilli())<<16)
	return id
}

// DerivedID returns the stream of an aggregate that is identified by its parts, such as
// the standing authorisation of one member of staff for one application. It is the
// UUIDv5 of the aggregate's kind and of the opaque identifiers of its parts.
func DerivedID(kind string, parts ...string) uuid.UUID {
	name := kind
	for _, part := range parts {
		name += "\x00" + part
	}
	return uuid.NewSHA1(frontdesk, []byte(name))
}

// frontdesk is the UUIDv5 name space of this program. It never changes.
var frontdesk = uuid.MustParse("6b0e2f8c-58f3-5a0f-9c57-1f3d1f6f5a11")
