package postgres

// Seals reports whether what is personal is sealed in this database.
func (k *Keyring) Seals() bool { return k != nil && k.sealed }
