// Package witness cosigns the checkpoints of logs that others operate, by
// c2sp.org/tlog-witness. A reader who requires a cosignature sees the same log as all
// other readers.
//
// Rules
//  1. A log is identified by the name in its origin. Its checkpoints are signed by a
//     key of that name, which is configured. No state of other logs is kept.
//  2. Of each log the witness cosigns one history. The last cosigned checkpoint is on
//     disk before the cosignature is sent, so a crash undoes nothing.
//  3. A larger checkpoint is cosigned only with a proof that its tree extends the last
//     cosigned one.
//  4. An epoch continues a log under another origin. Its first checkpoint needs two proofs:
//     that its tree begins with the entries which it has kept of the last cosigned epoch,
//     and that these are the first ones of the last cosigned tree. Entries that were
//     cosigned more than ten minutes ago cannot be lost without the witness's operator.
//     All checkpoints of an epoch name the same earlier ones. Checkpoints of an ended
//     epoch are refused. Anyone can read where each epoch was left.
//  5. Anyone can send a signed checkpoint with an invalid proof. So an invalid proof
//     is not an alarm. Two signed checkpoints of one size with two roots are: the log,
//     or a thief of its key, has forked the history. The second one is kept as
//     evidence.
//  6. State without the witness's own signature is not trusted: it cosigns nothing of
//     that log until an operator has checked it.
package witness
