package postgres

// HeldKeys returns how many keys a keyring has in memory.
func HeldKeys(k *Keyring) int { return k.known.held() }

// RememberKeys has a keyring remember so many keys at most.
func RememberKeys(k *Keyring, n int) { k.known.size = n }

// ForgetKeys leaves a keyring as it is at the start of a process.
func ForgetKeys(k *Keyring) { k.known.expire(k.now().Add(keyLife)) }
