// Package notary signs how far the logs have come, and is the one that remembers it
// outside of the database.
//
// A [Signer] reads every leaf itself and keeps the edges of the trees in a folder of its
// own machine. It believes neither the database nor the prover's
// tables, and shows witnesses only proofs that it has checked against its own roots.
//
// Rules
//  1. What is signed is on the disk before it is signed. So a signer that was killed signs
//     the same again, and never two checkpoints that do not go together.
//  2. A log goes on where it ended: the last leaf that was read is read again before the
//     next, and all of them once a day. A log that is shorter, lacks a leaf or has another
//     one is not signed any more, and the signer says so until it is whole again.
//  3. Nothing is wrong with a database that is away, is a standby, is being sealed, or has
//     been promoted and not begun its epoch yet. The signer waits.
//  4. In another epoch the trees go on under another origin. The signer keeps what it had
//     signed before. An epoch explains that the end of a log was lost, and not that what
//     was before it has changed.
//  5. Nobody but the operator of the signer can have it forget: a state that is lost, a
//     key that is another, and a past that has changed each take a flag.
package notary
