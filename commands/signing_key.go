package commands

import (
	"context"

	"frontdesk/domain/event"
	"frontdesk/domain/signingkey"
)

// KeyVault stores the private halves of the service's own keys.
type KeyVault interface {
	// Create makes a key, stores its private half, and returns its public half.
	Create(ctx context.Context) (signingkey.PublicKey, error)
	// Check returns an error unless a key's private half exists and can be used.
	Check(ctx context.Context, kid signingkey.KID) error
	// Sweep destroys the private halves of keys that no longer sign.
	Sweep(ctx context.Context) error
}

// EnsureSigningKey makes the service's first key if there has never been one, and
// activates it at once. Of several processes that start together only one makes it. The
// error means that this process cannot use the active key.
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

// StageSigningKey makes a new key of the service, publishes it and returns its kid. It
// stores the private half before it publishes anything, so that every published key can
// sign.
func (d Desk) StageSigningKey(ctx context.Context) (signingkey.KID, error) {
	public, err := d.Vault.Create(ctx)
	if err != nil {
		return "", err
	}
	return public.KID(), Update(ctx, d.Store, signingkey.StreamOf(), func(r signingkey.Ring) ([]event.Event, error) {
		return r.Stage(public, d.instant())
	})
}

// ActivateSigningKey makes a staged key the active one.
type ActivateSigningKey struct{ KID signingkey.KID }

// ActivateSigningKey refuses a key that could not sign: its private half is lost or
// encrypted under another master key. It destroys the private half of the key that it
// replaces.
func (d Desk) ActivateSigningKey(ctx context.Context, c ActivateSigningKey) error {
	decide := func(r signingkey.Ring) ([]event.Event, error) { return r.Activate(c.KID, d.instant()) }
	ring, err := d.ring(ctx)
	if err != nil {
		return err
	}
	if _, err := decide(ring); err != nil {
		return err // a refusal of a rule is more precise than one of the vault
	}
	if err := d.Vault.Check(ctx, c.KID); err != nil {
		return err
	}
	if err := Update(ctx, d.Store, signingkey.StreamOf(), decide); err != nil {
		return err
	}
	return d.Vault.Sweep(ctx)
}

// RetireSigningKey moves a key one state nearer to its end. The active key stops
// signing, and a retiring one is no longer published.
type RetireSigningKey struct{ KID signingkey.KID }

// RetireSigningKey destroys the key's private half, if it still exists.
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
