// Package epoch says when the log begins to be counted anew.
//
// A database can lose the end of its log: a standby is promoted that had not
// received all of it, or a backup is restored. The log then goes on from an
// earlier idx, and gives the next ones out a second time. All that happens between
// one such turn and the next is an epoch; an event is named by its epoch and its
// idx together.
//
// Rules
//  1. An epoch ends when the log goes on in another history: in a copy of the
//     database, or on another timeline of it.
//  2. The event that begins an epoch has the first idx that may have been given
//     out before. Whatever is behind it belongs to the new epoch.
//  3. How much is missing is told where somebody remembers it, and not guessed.
//  4. Nothing of an earlier epoch is told any more, unless it is certain that
//     nothing is missing: the history that was lost may have told it.
package epoch
