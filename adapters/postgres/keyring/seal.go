package keyring

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/practitioner"
)

// errNoMasterKey refuses to write personal data without a master key.
var errNoMasterKey = fault.New(fault.Refused, "no-master-key", "Personal data is sealed here: give the master key with --master-key-file.")

// SplitAll takes the personal values out of events.
func SplitAll(codec *event.Codec, recorded []event.Recorded) ([]Split, error) {
	parts := make([]Split, len(recorded))
	for n, r := range recorded {
		var err error
		if parts[n].Stored, parts[n].personal, err = codec.Split(r); err != nil {
			return nil, err
		}
		_, parts[n].first = r.Event.(patient.Registered)
	}
	return parts, nil
}

// Split is an event with its personal values taken out.
type Split struct {
	event.Stored
	personal []event.Personal
	first    bool // it registers a patient
	mints    bool // it is the first with personal values of its request, which has no key yet
}

// Practitioner returns the practitioner in the event's act claim, once identified.
func (s *Split) Practitioner() *uuid.UUID {
	for _, p := range s.personal {
		if p.Of.Kind == event.OfPractitioner {
			return &p.Of.ID
		}
	}
	return nil
}

// Minted are the keys that an append makes. It stores them with its events.
type Minted struct {
	keys  map[owner]sealing.Key
	stamp uint64 // of the cache, before the append
}

// Seal puts the personal values of an append into boxes. It returns [patient.ErrUnknown]
// if a patient was erased, and [practitioner.ErrErased] if a practitioner was.
func (k *Keyring) Seal(ctx context.Context, events []Split) (Minted, error) {
	if !slices.ContainsFunc(events, func(e Split) bool { return e.personal != nil }) {
		return Minted{}, nil
	}
	if !k.Opens() {
		return Minted{}, errNoMasterKey
	}
	if err := k.identify(ctx, events); err != nil {
		return Minted{}, err
	}
	all, err := k.keysOf(ctx, knownIn(events))
	if err != nil {
		return Minted{}, err
	}
	defer all.wipe()
	if err := k.areRegistered(ctx, events, all); err != nil {
		return Minted{}, err
	}
	if err := k.letRequestsBegin(ctx, events, all); err != nil {
		return Minted{}, err
	}
	made := Minted{map[owner]sealing.Key{}, all.stamp}
	for n := range events {
		if err := made.box(&events[n], all); err != nil {
			return Minted{}, fmt.Errorf("seal %s: %w", events[n].Name, err)
		}
	}
	return made, nil
}

// areRegistered returns [patient.ErrUnknown] if an event is about a patient without a key
// who was never registered. A registered patient's key is lost.
func (k *Keyring) areRegistered(ctx context.Context, events []Split, all keys) error {
	for _, o := range knownIn(events) {
		if o.holder.Kind != event.OfPatient || all.has(o) {
			continue
		}
		var registered bool
		stream := patient.StreamOf(o.tenant, patient.ID{UUID: o.holder.ID})
		err := k.DB.QueryRow(ctx, `SELECT EXISTS (SELECT FROM events WHERE tenant = $1 AND stream = $2 AND version = 1)`, stream.Tenant, stream.ID).Scan(&registered)
		if err != nil {
			return fmt.Errorf("look whose key is missing: %w", err)
		}
		if !registered {
			return patient.ErrUnknown
		}
	}
	return nil
}

// box puts the personal values of an event into boxes.
func (m Minted) box(e *Split, all keys) error {
	for _, p := range e.personal {
		key, err := m.take(all, e, p)
		if err != nil {
			return err
		}
		box, err := key.Seal(p.Of, p.Values, e.Stored)
		if err != nil {
			return err
		}
		e.Sealed = append(e.Sealed, box...)
	}
	return nil
}

// take returns the key of a holder in an event, and makes it if the event is the first
// that is about the holder.
func (m Minted) take(all keys, e *Split, p event.Personal) (sealing.Key, error) {
	o := owner{e.Stream.Tenant, p.Of}
	if key, found := m.keys[o]; found {
		return key, nil
	}
	if key, found := all.found[o]; found {
		return key, nil
	}
	switch {
	case all.erased[o] && p.Of.Kind == event.OfStaff:
		return sealing.Key{}, event.ErrConflict
	case all.erased[o] && p.Of.Kind == event.OfPractitioner:
		return sealing.Key{}, practitioner.ErrErased
	case all.erased[o]:
		return sealing.Key{}, patient.ErrUnknown
	case !e.makes(p.Of.Kind):
		return sealing.Key{}, all.keyLost(p.Of)
	}
	m.keys[o] = sealing.NewKey()
	return m.keys[o], nil
}

// makes reports whether the event may make the key of a holder of a kind who has none.
func (s *Split) makes(kind event.HolderKind) bool {
	return s.mints || kind == event.OfPractitioner || s.begins(kind)
}

// begins reports whether the event is the first that can be about a holder of a kind, so
// that there is no key yet. A practitioner may be known already.
func (s *Split) begins(kind event.HolderKind) bool {
	switch {
	case s.mints, kind == event.OfPractitioner:
		return false
	case kind == event.OfPatient:
		return s.first
	}
	return s.Version == 1
}

// knownIn returns the owners of an append that must have keys already, as far as they are
// identified. Owners that one of its events begins have none, or the database refuses
// another one.
func knownIn(events []Split) (owners []owner) {
	begun := map[owner]bool{}
	for _, e := range events {
		for _, p := range e.personal {
			o := owner{e.Stream.Tenant, p.Of}
			if e.begins(p.Of.Kind) {
				begun[o] = true
			} else if !begun[o] && p.Of.ID != uuid.Nil {
				owners = append(owners, o)
			}
		}
	}
	return owners
}
