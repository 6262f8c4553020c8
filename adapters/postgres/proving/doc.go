// Package proving builds the trees of the log behind it, and reads them.
//
//	log ──→ Prover ──→ leaf of each event ──→ tree_tail ──(256 of them)──→ tree_tiles
//	                                              └──────────── Trees ────────┘
//	                                                       sizes, hashes, numbers
//
// Each practice has a tree, and so has what belongs to none; the same for the access
// record. A tree is its leaves: full tiles of 256, of which each also keeps its root, and
// the leaves that fill no tile yet. Every other hash is made of these when it is asked
// for.
//
// Any process may run a [Prover]: the lock of a row elects the one that works. A batch is
// one transaction, so one that is killed leaves nothing half done. Nobody trusts what
// stands here: a proof is checked against a root that somebody has signed who read the
// log for themselves, and [Rebuild] makes everything anew.
package proving
