// Package ledger records erasures in a file outside of the database and its backups.
//
// A backup from before an erasure holds the key that the erasure has destroyed, so a restore
// would bring back the erased data. The ledger remembers the erasure, so that it can be
// repeated before the service answers calls (D71). It holds identifiers and fingerprints of
// keys, and no personal data.
package ledger
