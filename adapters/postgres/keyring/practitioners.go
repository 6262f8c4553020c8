package keyring

import (
	"context"

	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
	"frontdesk/domain/practitioner"
)

// identify gives each practitioner an identifier. It fetches the other missing keys with the
// practice's index key.
func (k *Keyring) identify(ctx context.Context, events []Split) error {
	for n := range events {
		for i := range events[n].personal {
			p := &events[n].personal[i]
			if p.Known == "" {
				continue
			}
			key, err := k.index(ctx, events[n].Stream.Tenant, knownIn(events))
			if err != nil {
				return err
			}
			p.Of.ID = key.Practitioner(events[n].Stream.Tenant, p.Known)
		}
	}
	return nil
}

// index returns the index key of a practice, and makes it at its first use.
func (k *Keyring) index(ctx context.Context, tenant string, others []owner) (sealing.Key, error) {
	o := index(tenant)
	all, err := k.keysOf(ctx, append(others, o))
	if err != nil {
		return sealing.Key{}, err
	}
	if _, found := all.found[o]; !found {
		all, err = k.keysMade(ctx, []owner{o})
	}
	if key, found := all.found[o]; found || err != nil {
		return key, err
	}
	return sealing.Key{}, ErrKeyLost
}

// PractitionerKnownBy returns the practitioner that calls have named with an e-mail address
// in lower case, or practitioner.ErrUnknown.
func (k *Keyring) PractitionerKnownBy(ctx context.Context, tenant, email string) (practitioner.ID, error) {
	found, err := k.keysOf(ctx, []owner{index(tenant)})
	if err != nil {
		return practitioner.ID{}, err
	}
	key, has := found.found[index(tenant)]
	if !has {
		return practitioner.ID{}, practitioner.ErrUnknown
	}
	who := owner{tenant, event.Holder{Kind: event.OfPractitioner, ID: key.Practitioner(tenant, email)}}
	if found, err = k.keysOf(ctx, []owner{who}); err != nil {
		return practitioner.ID{}, err
	}
	if _, has := found.found[who]; !has {
		return practitioner.ID{}, practitioner.ErrUnknown
	}
	return practitioner.ID{UUID: who.holder.ID}, nil
}
