package keyring

import (
	"context"
	"fmt"

	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// Open returns events with their personal values, and fetches all unknown keys with one
// query. Without a master key the values stay hidden. Those of erased holders are
// [event.Erased].
func (k *Keyring) Open(ctx context.Context, stored []event.Stored) ([]event.Recorded, error) {
	return k.open(ctx, stored, everything)
}

// OpenEach is Open for events that are independent of each other. An event that cannot be
// opened has its own error, and does not fail the others.
func (k *Keyring) OpenEach(ctx context.Context, stored []event.Stored) ([]event.Recorded, []error, error) {
	return k.openEach(ctx, stored, everything)
}

// Only opens the wanted personal values of holders in events, and fetches no other keys. The
// rest stays hidden.
func (k *Keyring) Only(wanted func(event.Stored, event.HolderKind) bool) projections.Opener {
	return only{k, wanted}
}

type only struct {
	*Keyring
	wanted wanted
}

// Open opens the wanted values.
func (o only) Open(ctx context.Context, stored []event.Stored) ([]event.Recorded, error) {
	return o.open(ctx, stored, o.wanted)
}

// wanted reports whether the box of a holder of a kind is to be opened.
type wanted = func(in event.Stored, of event.HolderKind) bool

func everything(event.Stored, event.HolderKind) bool { return true }

func (k *Keyring) open(ctx context.Context, stored []event.Stored, which wanted) ([]event.Recorded, error) {
	events, failed, err := k.openEach(ctx, stored, which)
	if err != nil {
		return nil, err
	}
	for n, err := range failed {
		if err != nil {
			return events[:n], err
		}
	}
	return events, nil
}

func (k *Keyring) openEach(ctx context.Context, stored []event.Stored, which wanted) ([]event.Recorded, []error, error) {
	boxes, failed := make([][]sealing.Box, len(stored)), make([]error, len(stored))
	var owners []owner
	for n, s := range stored {
		boxes[n], failed[n] = k.boxes(s, which)
		for _, b := range boxes[n] {
			owners = append(owners, owner{s.Stream.Tenant, b.Of})
		}
	}
	all, err := k.keysOf(ctx, owners)
	if err != nil {
		return nil, nil, err
	}
	defer all.wipe()
	events := make([]event.Recorded, len(stored))
	for n, s := range stored {
		if failed[n] == nil {
			events[n], failed[n] = k.join(all, boxes[n], s)
		}
		if failed[n] != nil {
			failed[n] = fmt.Errorf("open event %s: %w", s.ID, failed[n])
		}
	}
	return events, failed, nil
}

// boxes returns those boxes of an event that are to be opened; none without a master key.
func (k *Keyring) boxes(s event.Stored, which wanted) (found []sealing.Box, err error) {
	if !k.Opens() || len(s.Sealed) == 0 {
		return nil, nil
	}
	all, err := sealing.Boxes(s.Sealed)
	for _, b := range all {
		if which(s, b.Of.Kind) {
			found = append(found, b)
		}
	}
	return found, err
}

func (k *Keyring) join(all keys, boxes []sealing.Box, s event.Stored) (event.Recorded, error) {
	personal, err := all.open(boxes, s)
	if err != nil {
		return event.Recorded{}, err
	}
	return k.Codec.Join(s, personal)
}

// open returns the values in the boxes of an event.
func (k keys) open(boxes []sealing.Box, in event.Stored) ([]event.Personal, error) {
	var personal []event.Personal
	for _, b := range boxes {
		o := owner{in.Stream.Tenant, b.Of}
		key, found := k.found[o]
		switch {
		case k.erased[o]:
			personal = append(personal, event.Personal{Of: b.Of, Erased: true})
			continue
		case !found:
			return nil, fmt.Errorf("key %s of %w", b.Fingerprint, k.keyLost(b.Of))
		}
		values, err := b.Open(key, in)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", b.Of.Kind, b.Of.ID, err)
		}
		personal = append(personal, event.Personal{Of: b.Of, Values: values})
	}
	return personal, nil
}
