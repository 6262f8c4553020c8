package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/event"
	"frontdesk/domain/signingkey"
)

// RetireSigningKey moves a key one step nearer to its end: a retiring one is
// published no more, the active one signs no more (D34).
type RetireSigningKey struct{ KID signingkey.KID }

// RetireSigningKeyHandler handles [RetireSigningKey].
type RetireSigningKeyHandler struct {
	Store Store
	Vault KeyVault
	Now   Clock
}

// Handle retires the key, or returns the rule that refuses it, and destroys
// what is left of its private half.
func (h RetireSigningKeyHandler) Handle(ctx context.Context, c RetireSigningKey) error {
	err := Update(ctx, h.Store, signingkey.StreamOf(), func(r signingkey.Ring) ([]event.Event, error) {
		return r.Retire(c.KID, keyInstant(h.Now))
	})
	if err == nil {
		err = h.Vault.Sweep(ctx)
	}
	if err != nil {
		return fmt.Errorf("retire signing key: %w", err)
	}
	return nil
}
