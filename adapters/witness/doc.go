// Package witness cosigns the checkpoints of logs for somebody who does not run them, as
// c2sp.org/tlog-witness has it. Whoever trusts a checkpoint that a witness has cosigned
// sees the log that everybody else sees.
//
// Rules
//  1. A log is known by the name in its origin. Its checkpoints are signed by a key of
//     that name, which the witness was told. Of other logs nothing is kept.
//  2. Of each log the witness cosigns one history. What it cosigned last is on the disk
//     before the cosignature leaves, so a crash takes nothing back.
//  3. A larger checkpoint is cosigned only with the proof that its tree begins with the one
//     that was cosigned last.
//  4. Anybody can send what a log has signed, with a proof that is none. So a proof that
//     fails is no alarm. Two signed checkpoints of one size with two roots are one: the
//     log, or who has stolen its key, tells two histories. The other one is kept.
//  5. State that the witness has not signed itself is not believed: it cosigns nothing of
//     that log until somebody has looked.
package witness
