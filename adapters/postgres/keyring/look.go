package keyring

import (
	"context"
	"errors"
	"fmt"

	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
)

// Boxes counts boxes by the state of their keys.
type Boxes struct {
	Opened  int64 `json:"opened"`
	Erased  int64 `json:"erased"`  // their holders were erased
	Lost    int64 `json:"lost"`    // their keys are not there, and their holders were not erased
	Foreign int64 `json:"foreign"` // altered, moved or of another key; or their key's row was
}

// Bad returns how many boxes should open and do not.
func (b *Boxes) Bad() int64 { return b.Lost + b.Foreign }

// Sealed is the boxes of an event, or of a line of the access record.
type Sealed struct {
	Idx    int64
	Tenant string
	boxes  []sealing.Box
	broken error // why they are no boxes
	open   func(sealing.Box, sealing.Key) error
}

// SealedIn returns the boxes of an event.
func SealedIn(s event.Stored) Sealed {
	boxes, err := sealing.Boxes(s.Sealed)
	return Sealed{s.Idx, s.Stream.Tenant, boxes, err, func(b sealing.Box, k sealing.Key) error {
		_, err := b.Open(k, s)
		return err
	}}
}

// SealedAt returns the boxes of personal values outside of events, as [Other] has them.
func SealedAt(idx int64, tenant, place string, sealed []byte) Sealed {
	boxes, err := sealing.Boxes(sealed)
	return Sealed{idx, tenant, boxes, err, func(b sealing.Box, k sealing.Key) error {
		_, err := b.OpenAt(k, tenant, place)
		return err
	}}
}

// Unopened is a box that should open and does not, with the reason.
type Unopened struct {
	Idx    int64
	Tenant string
	Why    error
}

// Look opens boxes, counts them, and keeps none of their values. It returns the first one
// that should open and does not, and nil if all open.
func (k *Keyring) Look(ctx context.Context, all []Sealed, count *Boxes) (first *Unopened, err error) {
	first, err = k.look(ctx, all, count)
	if !errors.Is(err, ErrKeyAltered) {
		return first, err
	}
	for _, s := range all { // the key of one of them
		bad, err := k.look(ctx, []Sealed{s}, count)
		if errors.Is(err, ErrKeyAltered) {
			count.Foreign += int64(len(s.boxes))
			bad, err = &Unopened{s.Idx, s.Tenant, err}, nil
		}
		if err != nil {
			return first, err
		}
		if first == nil {
			first = bad
		}
	}
	return first, nil
}

func (k *Keyring) look(ctx context.Context, all []Sealed, count *Boxes) (first *Unopened, err error) {
	var owners []owner
	for _, s := range all {
		for _, b := range s.boxes {
			owners = append(owners, owner{s.Tenant, b.Of})
		}
	}
	found, err := k.keysOf(ctx, owners)
	if err != nil {
		return nil, err
	}
	defer found.wipe()
	for _, s := range all {
		if why := s.look(found, count); why != nil && first == nil {
			first = &Unopened{s.Idx, s.Tenant, why}
		}
	}
	return first, nil
}

// look opens the boxes, and returns the error of one that does not open.
func (s Sealed) look(found keys, count *Boxes) (why error) {
	if s.broken != nil {
		count.Foreign++
		return s.broken
	}
	for _, b := range s.boxes {
		o := owner{s.Tenant, b.Of}
		key, known := found.found[o]
		switch {
		case found.erased[o]:
			count.Erased++
		case !known:
			count.Lost++
			why = fmt.Errorf("key %s of %w", b.Fingerprint, found.keyLost(b.Of))
		default:
			if err := s.open(b, key); err != nil {
				count.Foreign++
				why = fmt.Errorf("%s %s: %w", b.Of.Kind, b.Of.ID, err)
				continue
			}
			count.Opened++
		}
	}
	return why
}
