// Package verification checks that the stored data is unchanged.
//
//	log, access record ─→ leaves ─→ trees, built again
//	                                 ├─ the prover's tables: the same hashes, roots and edges?
//	                                 └─ checkpoints, published and kept: the same root at their size?
//	boxes of events    ─→ keys:      opened, erased, or lost?
//	digests in the log ─→ the stored hashes of passwords
//
// It is read-only, and an auditor's rights are enough for everything except passwords.
// It lists unchecked parts, with the reason.
//
// Rules
//  1. An attacker who can change the tables can also change the prover's trees and the
//     published checkpoints. Only a signature proves that a checkpoint is the
//     service's, and only a copy kept elsewhere proves that the service has not signed
//     another since.
//  2. Events after a missing one have other numbers in the tree, so none of them is
//     checked.
//  3. The log grows during the check. It is read up to its head at the start, and
//     leaves that the prover has not reached are not a difference.
//  4. A checkpoint of a past epoch holds for the part that was not lost with it. A
//     kept one is still reported: it proves events that are gone.
package verification
