package postgres

import "frontdesk/adapters/sealing"

// CanOpen is an error that says what to do if personal data is sealed here and the keyring
// has no master key.
func (k *Keyring) CanOpen() error {
	if k.sealed && k.Master == (sealing.MasterKey{}) {
		return errUnsealed
	}
	return nil
}
