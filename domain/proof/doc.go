// Package proof holds what a proof of the log is made of: how an event and a line of the
// access record become leaves, how leaves become a tree, and what a signed checkpoint of
// a tree says. Trees are those of RFC 6962, checkpoints, cosignatures and proofs those of
// C2SP, so that a verifier can be written without this program.
//
// Rules
//  1. A leaf is made of what is stored, never of what is read. What is personal in an event
//     is hashed in its box, so erasing a person, or changing the master key, changes no leaf.
//  2. The data, the metadata and the boxes of an event are hashed apart, so that a leaf can
//     be proved by somebody who is shown some of them, or none.
//  3. A leaf holds the idx of its event. Its place in the tree is another number: that among
//     the events of its practice, or of those that belong to none, from 0.
//  4. A tree only grows. Whoever keeps a checkpoint of it can tell whether a later tree
//     still has the same leaves in front.
//  5. After a restore or a lost end, a tree goes on under another origin. Nobody takes the
//     one for the other.
//
// Hashing is a rule and no I/O: the package imports golang.org/x/mod/sumdb, which does
// nothing else.
package proof
