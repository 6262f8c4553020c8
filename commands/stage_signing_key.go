package commands

import (
	"context"
	"fmt"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/signingkey"
)

// StageSigningKey makes a new key of the service and publishes it (D34).
type StageSigningKey struct{}

// KeyVault keeps the private halves of the service's keys.
type KeyVault interface {
	// Create makes a key, keeps its private half, and returns the public one.
	Create(ctx context.Context) (signingkey.PublicKey, error)
	// Check fails unless a key's private half is here and can be used.
	Check(ctx context.Context, kid signingkey.KID) error
	// Sweep destroys the private halves of keys that sign no more.
	Sweep(ctx context.Context) error
}

// StageSigningKeyHandler handles [StageSigningKey].
type StageSigningKeyHandler struct {
	Store Store
	Vault KeyVault
	Now   Clock
}

// Handle stages a new key and returns its kid. The private half is kept before
// anything is published: a key that could not sign must never be known.
func (h StageSigningKeyHandler) Handle(ctx context.Context, _ StageSigningKey) (signingkey.KID, error) {
	public, err := h.Vault.Create(ctx)
	if err == nil {
		err = Update(ctx, h.Store, signingkey.StreamOf(), func(r signingkey.Ring) ([]event.Event, error) {
			return r.Stage(public, keyInstant(h.Now))
		})
	}
	if err != nil {
		return "", fmt.Errorf("stage signing key: %w", err)
	}
	return public.KID(), nil
}

// keyInstant is what the clock says, in microseconds, as everything is stored.
func keyInstant(now Clock) time.Time { return now().UTC().Truncate(time.Microsecond) }
