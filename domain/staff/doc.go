// Package staff holds the rules about the staff of a practice.
//
// Rules
//  1. A username is 1 to 128 printable characters, is not a UUID, and is unique
//     within the practice, with exact case (D35). The store keeps it unique,
//     because no stream knows the others.
//  2. A member of staff who is deactivated stays so; their authorisations stop
//     at once (D14).
//  3. The password of an active member of staff can be set, if it is fit. The
//     log names it by an opaque id, and knows its hash by a digest; no password
//     and no hash is in the log (D27, D56).
package staff
