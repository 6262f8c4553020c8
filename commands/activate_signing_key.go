package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/event"
	"frontdesk/domain/signingkey"
)

// ActivateSigningKey lets a staged key sign from now on, in the place of the
// one that did (D34).
type ActivateSigningKey struct{ KID signingkey.KID }

// ActivateSigningKeyHandler handles [ActivateSigningKey].
type ActivateSigningKeyHandler struct {
	Store Store
	Vault KeyVault
	Now   Clock
}

// Handle activates the key, or returns the rule that refuses it. A key whose
// private half is lost, or sealed under another master key, is not activated:
// nothing could be signed. The one that it replaces is destroyed.
func (h ActivateSigningKeyHandler) Handle(ctx context.Context, c ActivateSigningKey) error {
	decide := func(r signingkey.Ring) ([]event.Event, error) { return r.Activate(c.KID, keyInstant(h.Now)) }
	ring, err := Load[signingkey.Ring](ctx, h.Store, signingkey.StreamOf())
	if err == nil {
		_, err = decide(ring) // a rule's refusal says more than the vault's
	}
	if err == nil {
		err = h.Vault.Check(ctx, c.KID)
	}
	if err == nil {
		err = Update(ctx, h.Store, signingkey.StreamOf(), decide)
	}
	if err == nil {
		err = h.Vault.Sweep(ctx)
	}
	if err != nil {
		return fmt.Errorf("activate signing key: %w", err)
	}
	return nil
}
