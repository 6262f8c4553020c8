// Package proof holds the parts of a proof of the log: the leaf of an event or of a
// line of the access record, the tree of leaves, and the signed checkpoint of a tree.
// Trees are those of RFC 6962, checkpoints, cosignatures and proofs those of C2SP, so
// that a verifier can be written without this program.
//
// Rules
//  1. A leaf is made of stored values, never of decrypted ones. The box of personal
//     values is hashed, so erasing a person, or rotating the master key, changes no
//     leaf.
//  2. The data, the metadata and the boxes of an event are hashed separately, so
//     that a leaf can be proved to a reader who sees some of them, or none.
//  3. A leaf holds the idx of its event. Its position in the tree is another number:
//     that among the events of its practice, or among the global ones, from 0.
//  4. A tree only grows. With a checkpoint of it, a reader can check whether a later
//     tree still has the same leaves in front.
//  5. After a restore or a lost end, a tree continues under another origin, so that
//     the two cannot be confused.
//
// Hashing is a rule and no I/O: the package imports golang.org/x/mod/sumdb, which does
// nothing else.
package proof
