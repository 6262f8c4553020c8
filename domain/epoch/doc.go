// Package epoch defines when the numbering of the log begins again.
//
// A database can lose the end of its log: a standby is promoted that had not received
// all of it, or a backup is restored. The log then continues from an earlier idx, and
// assigns the following ones a second time. An epoch is the time between two such
// events; an event is named by its epoch and its idx together.
//
// Rules
//  1. An epoch ends when the log continues in another history: in a copy of the
//     database, or on another timeline of it.
//  2. The event that begins an epoch has the first idx that may have been assigned
//     before. All later events belong to the new epoch.
//  3. The number of missing events is stated if a process remembers it, and not
//     guessed.
//  4. Webhooks of an earlier epoch are no longer sent, unless it is certain that
//     nothing is missing: the lost history may have sent them.
package epoch
