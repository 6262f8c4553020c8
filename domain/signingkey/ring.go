package signingkey

import (
	"maps"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// These are the refusals of the rules.
var (
	ErrUnknown   = fault.New(fault.Missing, "unknown-signing-key", "There is no signing key with this kid.")
	ErrExists    = fault.New(fault.Conflict, "signing-key-exists", "This key was staged already.")
	ErrNotStaged = fault.New(fault.Refused, "signing-key-not-staged", "Only a staged key can be activated; this one is retiring or retired.")
	ErrTooYoung  = fault.New(fault.Refused, "signing-key-too-young", "The key has been published for less than 24 hours.")
	ErrTooSoon   = fault.New(fault.Refused, "signing-key-in-use", "The key has been retiring for less than 24 hours.")
)

// How long a key is published before it signs, and after it has signed. Receivers
// cache key sets for up to a day.
const (
	StagedFor   = 24 * time.Hour
	RetiringFor = 24 * time.Hour
)

// State is the position of a key in its life cycle.
type State string

// The states, in their order.
const (
	StateStaged   State = "staged"   // published
	StateActive   State = "active"   // published, signs
	StateRetiring State = "retiring" // published
	StateRetired  State = "retired"
)

// StreamOf returns the stream of the ring. It belongs to no practice: the keys
// are the service's own.
func StreamOf() event.Stream { return event.Stream{ID: event.DerivedID("signing-keys")} }

// Ring is the state of all of the service's keys.
type Ring struct{ keys map[KID]life }

type life struct {
	key   Key
	state State
	since time.Time
}

// Stage publishes a key for the first time (rule 1).
func (r Ring) Stage(public PublicKey, now time.Time) ([]event.Event, error) {
	if err := public.check(); err != nil {
		return nil, err
	}
	key := Key{public.KID(), public}
	if _, known := r.keys[key.KID]; known {
		return nil, ErrExists
	}
	return []event.Event{Staged{key, now}}, nil
}

// Begin stages the first key of all and activates it at once. If there has ever
// been one, it changes nothing.
func (r Ring) Begin(public PublicKey, now time.Time) ([]event.Event, error) {
	if !r.Empty() {
		return nil, nil
	}
	staged, err := r.Stage(public, now)
	if err != nil {
		return nil, err
	}
	activated, err := r.Apply(staged[0]).Activate(public.KID(), now)
	return append(staged, activated...), err
}

// Empty reports whether there has never been a key.
func (r Ring) Empty() bool { return len(r.keys) == 0 }

// Activate makes a staged key sign, in place of the active one (rules 2 and 3).
// Activating the active key changes nothing.
func (r Ring) Activate(kid KID, now time.Time) ([]event.Event, error) {
	next, known := r.keys[kid]
	last, replaced := r.active()
	ripe := next.since.Add(StagedFor)
	switch {
	case !known:
		return nil, ErrUnknown
	case next.state == StateActive:
		return nil, nil
	case next.state != StateStaged:
		return nil, ErrNotStaged
	case !replaced:
		return []event.Event{Activated{next.key, now}}, nil
	case now.Before(ripe):
		return nil, ErrTooYoung.With("The key has been published for less than 24 hours; receivers may not know it before %s.", ripe.Format(time.RFC3339))
	}
	return []event.Event{RetirementBegun{last.key, now}, Activated{next.key, now}}, nil
}

// Retire moves a key one step nearer to its end (rules 4 and 5). Retiring a
// retired key changes nothing.
func (r Ring) Retire(kid KID, now time.Time) ([]event.Event, error) {
	old, known := r.keys[kid]
	over := old.since.Add(RetiringFor)
	switch {
	case !known:
		return nil, ErrUnknown
	case old.state == StateRetired:
		return nil, nil
	case old.state == StateActive:
		return []event.Event{RetirementBegun{old.key, now}}, nil
	case old.state == StateRetiring && now.Before(over):
		return nil, ErrTooSoon.With("The key has been retiring for less than 24 hours; it can be retired from %s.", over.Format(time.RFC3339))
	}
	return []event.Event{Retired{old.key, now}}, nil
}

// Active returns the key that signs; false if none does.
func (r Ring) Active() (Key, bool) {
	active, found := r.active()
	return active.key, found
}

func (r Ring) active() (life, bool) {
	for _, l := range r.keys {
		if l.state == StateActive {
			return l, true
		}
	}
	return life{}, false
}

// Apply returns the ring after the event.
func (r Ring) Apply(e event.Event) Ring {
	switch e := e.(type) {
	case Staged:
		return r.with(life{e.Key, StateStaged, e.At})
	case Activated:
		return r.with(life{e.Key, StateActive, e.At})
	case RetirementBegun:
		return r.with(life{e.Key, StateRetiring, e.At})
	case Retired:
		return r.with(life{e.Key, StateRetired, e.At})
	}
	return r
}

func (r Ring) with(l life) Ring {
	keys := maps.Clone(r.keys)
	if keys == nil {
		keys = map[KID]life{}
	}
	keys[l.key.KID] = l
	return Ring{keys}
}
