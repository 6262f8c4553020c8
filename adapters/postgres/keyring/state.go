package keyring

// Opens reports whether the keyring has a master key. Without one, and on a nil keyring,
// personal values can be neither encrypted nor decrypted.
func (k *Keyring) Opens() bool { return k != nil && !k.Masters.Empty() }

// CanOpen returns an error with the fix if the keyring has no master key.
func (k *Keyring) CanOpen() error {
	if !k.Opens() {
		return errNoMasterKey
	}
	return nil
}
