package keyring

// Held returns how many keys a keyring has in memory.
func Held(k *Keyring) int { return k.known.held() }

// Remember has a keyring remember so many keys at most.
func Remember(k *Keyring, n int) { k.known.size = n }
