package keyring

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
)

// Other is personal values of one holder outside of events.
type Other struct {
	event.Personal
	Tenant string
	Place  string // the place that they are bound to: permanent, and unique in its practice
	Box    []byte // the values, sealed; nil if the holder was erased
}

// SealOthers fills the boxes, and fetches all unknown keys with one query. A practitioner
// gets an identifier, and a key if they are new. An erased holder is marked as erased and
// gets no box. Neither does a holder of an unknown practice, or of one whose index key is
// lost: values that cannot be encrypted stay hidden.
func (k *Keyring) SealOthers(ctx context.Context, all []Other) error {
	if !k.Opens() {
		return errNoMasterKey
	}
	indexes, err := k.keysMade(ctx, ownersIn(all, func(o Other) owner { return index(o.Tenant) }))
	if err != nil {
		return err
	}
	defer indexes.wipe()
	for n, o := range all {
		if key, found := indexes.found[index(o.Tenant)]; found {
			all[n].Of.ID = key.Practitioner(o.Tenant, o.Known)
		}
	}
	owners := ownersIn(all, func(o Other) owner { return o.owner() })
	keys, err := k.keysMade(ctx, slices.DeleteFunc(owners, func(o owner) bool { return o.holder.ID == uuid.Nil }))
	if err != nil {
		return err
	}
	defer keys.wipe()
	for n := range all {
		if err := all[n].seal(keys); err != nil {
			return fmt.Errorf("seal %s: %w", all[n].Place, err)
		}
	}
	return nil
}

func (o *Other) owner() owner { return owner{o.Tenant, o.Of} }

func (o *Other) seal(all keys) (err error) {
	if o.Erased = all.erased[o.owner()]; o.Erased || o.Of.ID == uuid.Nil {
		o.Box = nil
		return nil
	}
	key, found := all.found[o.owner()]
	if !found {
		return all.keyLost(o.Of)
	}
	o.Box, err = key.SealAt(o.Tenant, o.Place, o.Of, o.Values)
	return err
}

// OpenOthers fills the values from the boxes, and fetches all unknown keys with one query.
// Without a master key they stay empty.
func (k *Keyring) OpenOthers(ctx context.Context, all []Other) error {
	if !k.Opens() {
		return nil
	}
	boxes := make([]sealing.Box, len(all))
	for n, o := range all {
		box, err := sealing.Boxes(o.Box)
		if err != nil || len(box) != 1 {
			return fmt.Errorf("open %s: %w", o.Place, cmp.Or(err, sealing.ErrNotABox))
		}
		boxes[n], all[n].Of = box[0], box[0].Of
	}
	keys, err := k.keysOf(ctx, ownersIn(all, func(o Other) owner { return o.owner() }))
	if err != nil {
		return err
	}
	defer keys.wipe()
	for n := range all {
		if err := all[n].open(keys, boxes[n]); err != nil {
			return fmt.Errorf("open %s: %w", all[n].Place, err)
		}
	}
	return nil
}

func (o *Other) open(all keys, box sealing.Box) (err error) {
	if o.Erased = all.erased[o.owner()]; o.Erased {
		return nil
	}
	key, found := all.found[o.owner()]
	if !found {
		return all.keyLost(o.Of)
	}
	o.Values, err = box.OpenAt(key, o.Tenant, o.Place)
	return err
}

// ownersIn are the owners of values, each once, in an order that all processes share.
func ownersIn(all []Other, ownerOf func(Other) owner) []owner {
	owners := make([]owner, len(all))
	for n, o := range all {
		owners[n] = ownerOf(o)
	}
	slices.SortFunc(owners, compareOwners)
	return slices.Compact(owners)
}

// keysMade returns the keys of practices or practitioners, and makes missing ones. Of two
// processes that make one, the second takes the first one's.
func (k *Keyring) keysMade(ctx context.Context, owners []owner) (keys, error) {
	all, err := k.keysOf(ctx, owners)
	missing := slices.DeleteFunc(slices.Clone(owners), all.has)
	if err != nil || len(missing) == 0 {
		return all, err
	}
	if err := k.mint(ctx, missing); err != nil {
		return all, fmt.Errorf("make keys: %w", err)
	}
	return k.keysOf(ctx, owners)
}

// mintKeys makes no key for an erased holder: the check is fenced like that of an append.
// A practice has an index key once, before it has practitioners: with another one all
// practitioners would be unknown, also erased ones. A caller may name unknown practices,
// which have none.
const mintKeys = insertKeys + `
WHERE NOT EXISTS (SELECT FROM erasures e WHERE e.tenant = k.tenant AND e.kind = k.kind AND e.holder = k.holder FOR KEY SHARE)
	AND (k.kind <> 0 OR EXISTS (SELECT FROM events e WHERE e.tenant = k.tenant)
		AND NOT EXISTS (SELECT FROM personal_keys p WHERE p.tenant = k.tenant AND p.kind = 3))
ON CONFLICT DO NOTHING`

func (k *Keyring) mint(ctx context.Context, owners []owner) error {
	made := Minted{keys: map[owner]sealing.Key{}}
	for _, o := range owners {
		made.keys[o] = sealing.NewKey()
	}
	rows, err := k.Wrap(made, nil)
	if err != nil {
		return err
	}
	_, err = k.DB.Exec(ctx, mintKeys, keyColumns(rows)...)
	return err
}
