package postgres

import (
	"context"
	"fmt"

	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
)

// Open returns events with their personal values, and asks once for all keys that it does
// not know. Without a master key the values stay hidden. Those of holders who were erased
// are [event.Erased].
func (k *Keyring) Open(ctx context.Context, stored []event.Stored) ([]event.Recorded, error) {
	boxes, owners := make([][]sealing.Box, len(stored)), []owner(nil)
	if k.Master != (sealing.MasterKey{}) {
		for n, s := range stored {
			var err error
			if boxes[n], err = sealing.Boxes(s.Sealed); err != nil {
				return nil, fmt.Errorf("open event %s: %w", s.ID, err)
			}
			for _, b := range boxes[n] {
				owners = append(owners, owner{s.Stream.Tenant, b.Of})
			}
		}
	}
	all, err := k.of(ctx, owners)
	if err != nil {
		return nil, err
	}
	events := make([]event.Recorded, len(stored))
	for n, s := range stored {
		personal, err := all.open(boxes[n], s)
		if err == nil {
			events[n], err = k.Codec.Join(s, personal)
		}
		if err != nil {
			return events[:n], fmt.Errorf("open event %s: %w", s.ID, err)
		}
	}
	return events, nil
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
