// Package proving builds the Merkle trees of the log behind it, and reads them.
//
//	log ──→ Prover ──→ leaf of each event ──→ tree_tail ──(256 of them)──→ tree_tiles
//	                                              └──────────── Trees ────────┘
//	                                                       sizes, hashes, numbers
//
// Each practice has a tree, and there is one for events of no practice; the same for
// the access record. A tree is stored as its leaves: full tiles of 256, each with its
// root, and the tail that fills no tile yet. Every other hash is computed from these
// when it is needed.
//
// Any process may run a [Prover]: a row lock elects the active one. A batch is one
// transaction, so a killed one leaves nothing incomplete. The tables are not trusted: a
// proof is checked against a root signed by a reader of the log itself, and [Rebuild]
// builds everything again.
package proving
