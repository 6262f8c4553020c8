// Package ledger keeps who is erased, in a file outside of the database and its backups.
//
// A backup of before an erasure holds the key that the erasure has destroyed. Whoever
// restores it would bring back what was forgotten. The ledger remembers the erasure, so
// that it can be done again before anybody is served (D71). It holds identifiers and
// fingerprints of keys, and no personal data.
package ledger
