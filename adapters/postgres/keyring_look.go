package postgres

import (
	"context"
	"errors"

	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
)

// Boxes counts boxes of events by how they stand to their keys.
type Boxes struct {
	Opened  int64 `json:"opened"`
	Erased  int64 `json:"erased"`  // their holders were erased
	Lost    int64 `json:"lost"`    // their keys are not there, and their holders were not erased
	Foreign int64 `json:"foreign"` // altered, moved or of another key; or their key's row was
}

// Bad returns how many boxes should open and do not.
func (b *Boxes) Bad() int64 { return b.Lost + b.Foreign }

func (b *Boxes) add(more Boxes) {
	b.Opened, b.Erased = b.Opened+more.Opened, b.Erased+more.Erased
	b.Lost, b.Foreign = b.Lost+more.Lost, b.Foreign+more.Foreign
}

// Look adds the boxes of events, and keeps nothing of what is in them. It returns the first
// event one of whose boxes should open and does not, with why.
func (k *Keyring) Look(ctx context.Context, stored []event.Stored, count *Boxes) (bad event.Stored, why, err error) {
	found, bad, why, err := k.look(ctx, stored)
	if !errors.Is(err, errKeyAltered) {
		count.add(found)
		return bad, why, err
	}
	for _, s := range stored { // the key of one of them
		found, _, wrong, err := k.look(ctx, []event.Stored{s})
		if errors.Is(err, errKeyAltered) {
			found, wrong, err = Boxes{Foreign: 1}, err, nil
		}
		if err != nil {
			return bad, nil, err
		}
		if count.add(found); wrong != nil && why == nil {
			bad, why = s, wrong
		}
	}
	return bad, why, nil
}

func (k *Keyring) look(ctx context.Context, stored []event.Stored) (count Boxes, bad event.Stored, why, err error) {
	boxes := make([][]sealing.Box, len(stored))
	var owners []owner
	for n, s := range stored {
		var wrong error
		if boxes[n], wrong = sealing.Boxes(s.Sealed); wrong != nil {
			count.Foreign++
			bad, why = s, wrong
		}
		for _, b := range boxes[n] {
			owners = append(owners, owner{s.Stream.Tenant, b.Of})
		}
	}
	all, err := k.of(ctx, owners)
	if err != nil {
		return Boxes{}, bad, nil, err
	}
	for n, s := range stored {
		for _, b := range boxes[n] {
			if wrong := all.look(b, s, &count); wrong != nil && why == nil {
				bad, why = s, wrong
			}
		}
	}
	return count, bad, why, nil
}

// look opens one box, and counts it.
func (k keys) look(b sealing.Box, in event.Stored, count *Boxes) error {
	personal, err := k.open([]sealing.Box{b}, in)
	switch {
	case errors.Is(err, ErrKeyLost):
		count.Lost++
	case err != nil:
		count.Foreign++
	case personal[0].Erased:
		count.Erased++
	default:
		count.Opened++
	}
	return err
}
