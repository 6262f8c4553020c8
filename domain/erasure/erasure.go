package erasure

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/parse"
)

// Reach describes how far an erasure reaches. The privacy page, the help of the commands and
// the documents use these words.
const Reach = "After an erasure, the service can no longer read the data. " +
	"Anyone with an older backup and its master key still can, until that backup expires or that key is destroyed."

// ID identifies one erasure, from its request on.
type ID struct{ uuid.UUID }

// HoldID identifies one hold.
type HoldID struct{ uuid.UUID }

// Basis is why data may be erased.
type Basis string

// The bases. No request may have the last one: it marks an erasure that is applied again to
// a restored backup.
const (
	RetentionEnded     Basis = "retention-ended"
	RegisteredInError  Basis = "registered-in-error"
	CourtOrder         Basis = "court-order"
	UnlawfulProcessing Basis = "unlawful-processing"
	PracticeExit       Basis = "practice-exit"
	Restored           Basis = "restored"
)

// Bases lists the bases that a request may have.
func Bases() []Basis {
	return []Basis{RetentionEnded, RegisteredInError, CourtOrder, UnlawfulProcessing, PracticeExit}
}

var basisWords = map[Basis]string{
	RetentionEnded:     "The time for which they have to be kept has ended",
	RegisteredInError:  "They were registered in error",
	CourtOrder:         "A court has ordered it",
	UnlawfulProcessing: "The data should not have been processed",
	PracticeExit:       "The practice is leaving this service",
}

// Words returns the basis in plain words; "" for [Restored].
func (b Basis) Words() string { return basisWords[b] }

// An erasure is confirmed between these times after it was asked for.
const (
	Soonest = 24 * time.Hour
	Latest  = 30 * 24 * time.Hour
)

// Request asks for an erasure. Its reason contains no name, because it is stored in clear.
type Request struct {
	Erasure     ID          `json:"erasure"`
	Basis       Basis       `json:"basis"`
	Reason      string      `json:"reason"`
	RequestedBy event.Actor `json:"requestedBy"`
	RequestedAt time.Time   `json:"requestedAt"`
}

// Withdrawal ends a request.
type Withdrawal struct {
	Erasure ID     `json:"erasure"`
	Reason  string `json:"reason"`
}

// Hold keeps a person's data from being erased, as a claim or an inquiry may need them.
type Hold struct {
	Hold   HoldID `json:"hold"`
	Reason string `json:"reason"`
}

// Done records that a person is erased, and which keys were destroyed.
type Done struct {
	Erasure     ID          `json:"erasure"`
	Basis       Basis       `json:"basis"`
	RequestedBy event.Actor `json:"requestedBy"`
	ConfirmedBy event.Actor `json:"confirmedBy"`
	Keys        []Key       `json:"keys"`
}

// Key is a key that was destroyed: its holder and its fingerprint. A patient is erased with
// the requests that belong to them.
type Key struct {
	Kind        event.HolderKind `json:"kind"`
	Holder      uuid.UUID        `json:"holder"`
	Fingerprint string           `json:"fingerprint"` // in hexadecimal; "" if there never was a key
}

// Confirmation is the second person's word.
type Confirmation struct {
	Erasure ID
	By      event.Actor
	At      time.Time
}

// The refusals of this package's rules.
var (
	ErrNoBasis = fault.New(fault.Invalid, "invalid-erasure-basis",
		"The basis must be retention-ended, registered-in-error, court-order, unlawful-processing or practice-exit.")
	ErrRequested    = fault.New(fault.Conflict, "erasure-requested", "This erasure was requested already. Confirm or withdraw that request.")
	ErrNotRequested = fault.New(fault.Missing, "erasure-not-requested",
		"No one has requested this erasure, or the request was withdrawn or is older than 30 days. Request it again.")
	ErrTooSoon    = fault.New(fault.Conflict, "erasure-too-soon", "Confirm an erasure 24 hours or more after it was requested.")
	ErrSamePerson = fault.New(fault.Refused, "erasure-same-person", "Ask another person to confirm the erasure: the person who requested it cannot confirm it.")
	ErrNoPerson   = fault.New(fault.Refused, "erasure-needs-a-person", "Only a person can ask for an erasure or confirm one.")
	ErrHeld       = fault.New(fault.Conflict, "erasure-held", "Lift every hold first: these data are kept for a claim or an inquiry.")
	ErrNoHold     = fault.New(fault.Missing, "unknown-hold", "There is no hold with this identifier, or it was lifted.")
)

// State is how far the erasure of one person has come.
type State struct {
	open   Request // zero if there was none, or it was withdrawn
	holds  []HoldID
	done   ID
	erased bool
}

// Erased reports whether the person is erased (rule 5).
func (s State) Erased() bool { return s.erased }

// ErasedBy reports whether the person is erased, and it was by this erasure. Anyone who knows its
// identifier may learn that it is done.
func (s State) ErasedBy(id ID) bool { return s.erased && s.done == id }

// Request returns the request that waits for a second person, or a zero one.
func (s State) Request() Request { return s.open }

// MayRequest judges a request (rules 1 and 2).
func (s State) MayRequest(r Request) error {
	_, wrong := parse.Reason(r.Reason)
	switch {
	case !slices.Contains(Bases(), r.Basis):
		return ErrNoBasis
	case wrong != nil:
		return wrong
	case !isPerson(r.RequestedBy):
		return ErrNoPerson
	case s.open.Erasure != ID{} && !s.lapsed(r.RequestedAt):
		return ErrRequested
	}
	return nil
}

func (s State) lapsed(now time.Time) bool { return now.After(s.open.RequestedAt.Add(Latest)) }

// isPerson holds for a member of staff who acts in person, and for an operator.
func isPerson(a event.Actor) bool {
	return a.Kind == event.ByOperator || a.Kind == event.ByStaff && a.Application == uuid.Nil
}

// SamePerson reports whether one person may be behind two actors. An operator is
// identified by their role in the database, whatever their machine's name.
func SamePerson(a, b event.Actor) bool {
	return a.Kind == b.Kind && a.ID == b.ID || a.Member() != uuid.Nil && a.Member() == b.Member()
}

// MayWithdraw judges a withdrawal (rule 3).
func (s State) MayWithdraw(w Withdrawal) error {
	if s.open.Erasure == (ID{}) || s.open.Erasure != w.Erasure {
		return ErrNotRequested
	}
	_, err := parse.Reason(w.Reason)
	return err
}

// MayHold judges a hold (rule 4).
func (s State) MayHold(h Hold) error {
	_, err := parse.Reason(h.Reason)
	return err
}

// MayLift judges the end of a hold (rule 4).
func (s State) MayLift(h Hold) error {
	if !slices.Contains(s.holds, h.Hold) {
		return ErrNoHold
	}
	_, err := parse.Reason(h.Reason)
	return err
}

// Confirm returns an erasure by two people (rules 1 and 4).
func (s State) Confirm(c Confirmation, keys []Key) (Done, error) {
	switch {
	case s.open.Erasure == ID{} || s.open.Erasure != c.Erasure || s.lapsed(c.At):
		return Done{}, ErrNotRequested
	case !isPerson(c.By):
		return Done{}, ErrNoPerson
	case SamePerson(s.open.RequestedBy, c.By):
		return Done{}, ErrSamePerson
	case len(s.holds) > 0:
		return Done{}, ErrHeld
	case c.At.Before(s.open.RequestedAt.Add(Soonest)):
		return Done{}, ErrTooSoon
	}
	return Done{s.open.Erasure, s.open.Basis, s.open.RequestedBy, c.By, keys}, nil
}

// Reapplied returns an earlier erasure, applied to a restored backup (rule 6).
func Reapplied(id ID, by event.Actor, keys []Key) Done {
	return Done{Erasure: id, Basis: Restored, RequestedBy: by, ConfirmedBy: by, Keys: keys}
}

// Requested returns the state after a request.
func (s State) Requested(r Request) State {
	s.open = r
	return s
}

// Withdrawn returns the state after a withdrawal.
func (s State) Withdrawn() State {
	s.open = Request{}
	return s
}

// Held returns the state after a hold.
func (s State) Held(h Hold) State {
	s.holds = append(slices.Clip(s.holds), h.Hold)
	return s
}

// Lifted returns the state after the end of a hold.
func (s State) Lifted(h Hold) State {
	s.holds = slices.DeleteFunc(slices.Clone(s.holds), func(held HoldID) bool { return held == h.Hold })
	return s
}

// Completed returns the state after the erasure.
func (s State) Completed(d Done) State { return State{done: d.Erasure, erased: true} }

// Person identifies a person who can be erased: a patient, a member of staff, or a
// practitioner of a practice.
type Person struct {
	Tenant string           `json:"tenant"`
	Kind   event.HolderKind `json:"kind"`
	Holder uuid.UUID        `json:"holder"`
}

// Line records an erasure outside of the database and its backups (rule 6). It holds no
// personal data.
type Line struct {
	Person
	Erasure      ID       `json:"erasure"`
	Idx          int64    `json:"idx"`          // the event's place in the log; 0 if it had none yet
	Fingerprints []string `json:"fingerprints"` // of the keys that were destroyed
}
