package postgres

import (
	"context"
	"fmt"

	"frontdesk/adapters/sealing"
)

// Sealed reports whether what is personal is sealed in this database. Nil seals nothing.
func (k *Keyring) Sealed() bool { return k != nil && k.sealed }

// Opens reports whether personal data is sealed here and the keyring can open it.
func (k *Keyring) Opens() bool { return k.Sealed() && k.Master != (sealing.MasterKey{}) }

// CanOpen is an error that says what to do if personal data is sealed here and the
// keyring has no master key.
func (k *Keyring) CanOpen() error {
	if k.sealed && k.Master == (sealing.MasterKey{}) {
		return errNoMasterKey
	}
	return nil
}

// Begun reports whether personal data is sealed from now on, and what was written in
// clear before is not all sealed yet (D75).
func (k *Keyring) Begun() bool { return k != nil && k.begun.Load() }

// finish looks whether all is sealed by now. Then a key that is missing is lost, and none
// is made in its place, although this process began before.
func (k *Keyring) finish(ctx context.Context) error {
	if !k.Begun() {
		return nil
	}
	var begun bool
	if err := k.DB.QueryRow(ctx, `SELECT finished_at IS NULL FROM sealing`).Scan(&begun); err != nil {
		return fmt.Errorf("look whether all is sealed: %w", err)
	}
	k.begun.Store(begun)
	return nil
}

// clear reports whether what is personal is written in clear.
func (k *Keyring) clear() bool { return k != nil && !k.sealed }
