// Package verification looks whether what is stored is still what was written.
//
//	log, access record ─→ leaves ─→ trees, made anew
//	                                 ├─ the prover's tables: the same hashes, roots and edges?
//	                                 └─ checkpoints, published and kept: the same root at their size?
//	boxes of events    ─→ keys:      opened, erased, or lost?
//	digests in the log ─→ the stored hashes of passwords
//
// It changes nothing, and an auditor's rights are enough for all but the passwords. What
// cannot be checked is said, with why.
//
// Rules
//  1. Whoever can change the tables can change the prover's trees and the published
//     checkpoints with them. Only a signature says that a checkpoint is the service's, and
//     only one that was kept elsewhere says that the service has not signed another since.
//  2. What comes behind a missing event has another number in its tree, so nothing behind it
//     is looked at.
//  3. The log grows meanwhile. It is read up to the head that it had at the beginning, and
//     what the prover has not come to yet is no difference.
//  4. A checkpoint of an epoch that has ended holds for what was not lost with it. One that
//     was kept is reported all the same: what it shows is not there any more.
package verification
