package keyring

// Held returns how many keys a keyring has in memory.
func Held(k *Keyring) int { return k.known.held() }

// Remember bounds the number of keys in a keyring's memory.
func Remember(k *Keyring, n int) { k.known.size = n }
