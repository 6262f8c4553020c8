package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/event"
	"frontdesk/domain/signingkey"
)

// EnsureSigningKey makes the service's first key, and lets it sign at once,
// where there has never been one (D34).
type EnsureSigningKey struct{}

// EnsureSigningKeyHandler handles [EnsureSigningKey].
type EnsureSigningKeyHandler struct {
	Store Store
	Vault KeyVault
	Now   Clock
}

// Handle makes the first key; of several processes that start together, one
// does. It fails when the key that signs cannot be used by this process.
func (h EnsureSigningKeyHandler) Handle(ctx context.Context, _ EnsureSigningKey) error {
	ring, err := Load[signingkey.Ring](ctx, h.Store, signingkey.StreamOf())
	if err == nil && ring.Empty() {
		ring, err = h.first(ctx)
	}
	if active, signs := ring.Active(); err == nil && signs {
		err = h.Vault.Check(ctx, active.KID)
	}
	if err != nil {
		return fmt.Errorf("ensure signing key: %w", err)
	}
	return nil
}

func (h EnsureSigningKeyHandler) first(ctx context.Context) (signingkey.Ring, error) {
	public, err := h.Vault.Create(ctx)
	if err != nil {
		return signingkey.Ring{}, err
	}
	err = Update(ctx, h.Store, signingkey.StreamOf(), func(r signingkey.Ring) ([]event.Event, error) {
		return r.Begin(public, keyInstant(h.Now))
	})
	if err != nil {
		return signingkey.Ring{}, err
	}
	return Load[signingkey.Ring](ctx, h.Store, signingkey.StreamOf())
}
