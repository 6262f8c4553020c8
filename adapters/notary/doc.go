// Package notary signs checkpoints of the logs, and keeps the last signed state outside
// the database.
//
// A [Signer] reads every leaf itself and keeps the edges of the trees in a folder of
// its own machine. It trusts neither the database nor the prover's tables, and sends
// witnesses only proofs that it has checked against its own roots.
//
// Rules
//  1. The state is on disk before it is signed. So a signer that was killed signs the
//     same again, and never two inconsistent checkpoints.
//  2. A log must continue where it ended: the signer rereads the last leaf before the
//     next, and all leaves about once an hour, at random moments. It no longer signs a
//     log that is shorter, lacks a leaf or has a different one, and raises an alarm until
//     the log is whole again.
//  3. A database may be unavailable, a standby, being sealed, or promoted without its
//     epoch. These are not errors: the signer waits.
//  4. In another epoch the trees continue under another origin, and their checkpoints name
//     the entries that they have kept of each earlier epoch. The signer keeps its earlier
//     state. An epoch explains that a short end of a log was lost, but not a change of
//     anything before it. The loss of a long end waits for an operator, and the loss of a
//     short one is reported until an operator has looked at it.
//  5. Only the operator of the signer can reset it: a lost state, another key, and a
//     changed past each need a flag.
package notary
