// Package staff is a member of staff of a practice.
//
// Rules
//  1. A username is 1 to 128 printable characters, is no UUID, and is unique
//     within the practice, case-exact (D35). Uniqueness across streams is the
//     store's to keep.
//  2. A member of staff who is deactivated stays so; their authorisations stop
//     at once (D14).
//  3. The password of an active member of staff can be set, to a fit one. The
//     log names it by an opaque id; neither it nor its hash is in the log (D27).
package staff
