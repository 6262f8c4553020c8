package postgres

// HeldKeys returns how many keys a keyring has in memory.
func HeldKeys(k *Keyring) int { return k.known.held() }

// RememberKeys has a keyring remember so many keys at most.
func RememberKeys(k *Keyring, n int) { k.known.size = n }
