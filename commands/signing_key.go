package commands

import (
	"context"

	"frontdesk/domain/event"
	"frontdesk/domain/signingkey"
)

// KeyVault keeps the private halves of the service's keys.
type KeyVault interface {
	// Create makes a key, keeps its private half, and returns the public one.
	Create(ctx context.Context) (signingkey.PublicKey, error)
	// Check fails unless a key's private half is here and can be used.
	Check(ctx context.Context, kid signingkey.KID) error
	// Sweep destroys the private halves of keys that sign no more.
	Sweep(ctx context.Context) error
}

// EnsureSigningKey makes the service's first key, and lets it sign at once,
// where there has never been one. Of several processes that start together,
// one does. It fails when this process cannot use the key that signs.
func (d Desk) EnsureSigningKey(ctx context.Context) error {
	ring, err := d.ring(ctx)
	if err != nil {
		return err
	}
	if ring.Empty() {
		if ring, err = d.firstSigningKey(ctx); err != nil {
			return err
		}
	}
	active, signs := ring.Active()
	if !signs {
		return nil
	}
	return d.Vault.Check(ctx, active.KID)
}

func (d Desk) firstSigningKey(ctx context.Context) (signingkey.Ring, error) {
	public, err := d.Vault.Create(ctx)
	if err != nil {
		return signingkey.Ring{}, err
	}
	err = Update(ctx, d.Store, signingkey.StreamOf(), func(r signingkey.Ring) ([]event.Event, error) {
		return r.Begin(public, d.instant())
	})
	if err != nil {
		return signingkey.Ring{}, err
	}
	return d.ring(ctx)
}

// StageSigningKey makes a new key of the service, publishes it and returns its
// kid. The private half is kept before anything is published: a key that could
// not sign must never be known.
func (d Desk) StageSigningKey(ctx context.Context) (signingkey.KID, error) {
	public, err := d.Vault.Create(ctx)
	if err != nil {
		return "", err
	}
	return public.KID(), Update(ctx, d.Store, signingkey.StreamOf(), func(r signingkey.Ring) ([]event.Event, error) {
		return r.Stage(public, d.instant())
	})
}

// ActivateSigningKey lets a staged key sign from now on, in the place of the
// one that did.
type ActivateSigningKey struct{ KID signingkey.KID }

// ActivateSigningKey refuses a key whose private half is lost or sealed under
// another master key, because nothing could be signed. The private half of the
// key that it replaces is destroyed.
func (d Desk) ActivateSigningKey(ctx context.Context, c ActivateSigningKey) error {
	decide := func(r signingkey.Ring) ([]event.Event, error) { return r.Activate(c.KID, d.instant()) }
	ring, err := d.ring(ctx)
	if err != nil {
		return err
	}
	if _, err := decide(ring); err != nil {
		return err // a rule's refusal says more than the vault's
	}
	if err := d.Vault.Check(ctx, c.KID); err != nil {
		return err
	}
	if err := Update(ctx, d.Store, signingkey.StreamOf(), decide); err != nil {
		return err
	}
	return d.Vault.Sweep(ctx)
}

// RetireSigningKey moves a key one step nearer to its end: a retiring one is
// published no more, the active one signs no more.
type RetireSigningKey struct{ KID signingkey.KID }

// RetireSigningKey destroys what is left of the key's private half.
func (d Desk) RetireSigningKey(ctx context.Context, c RetireSigningKey) error {
	err := Update(ctx, d.Store, signingkey.StreamOf(), func(r signingkey.Ring) ([]event.Event, error) {
		return r.Retire(c.KID, d.instant())
	})
	if err != nil {
		return err
	}
	return d.Vault.Sweep(ctx)
}

func (d Desk) ring(ctx context.Context) (signingkey.Ring, error) {
	return Load[signingkey.Ring](ctx, d.Store, signingkey.StreamOf())
}
