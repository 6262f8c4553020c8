// Package staff holds the rules about the staff of a practice.
//
// Rules
//  1. A username is 1 to 128 printable characters, is not a UUID, and is unique
//     within the practice, with exact case (D35). The store keeps it unique,
//     because no stream knows the others.
//  2. What a member of staff may do ends at once when they are deactivated (D14).
//     Who is reactivated has no password and no authorisation of before.
//  3. The password of an active member of staff can be set, if it is fit: long enough,
//     not a common one, and not made of what anybody knows of them. One that was set
//     before counts whatever it is. The log names it by an opaque id, and knows its hash
//     by a digest; no password and no hash is in the log (D27, D56).
//  4. A member of staff has any number of roles, which say what they may do on the
//     practice's pages and nothing else. Who was registered as administrator is
//     manager until roles are set (D63).
//  5. A link lets its holder choose a password once, within 72 hours. The newest link
//     counts. Somebody is invited while they have no password; a reset ends the one
//     that they have, and everything that was begun with it (D64).
//  6. On the pages nobody takes from a practice its last manager who can sign in (D63). The
//     store refuses it, because no stream knows the others.
//  7. The log is told once of each session that is begun, and once when its member of
//     staff ends it. Of what is tried in vain at an account, and of its being locked, it is
//     told at most once a minute each; the rest is counted (D65).
//  8. A member of staff who signs in has at most 10 passkeys. Who has one signs in with
//     it, alone or after the password, and never with the password alone. A reset and a
//     reactivation take all of them away (D66).
//  9. Who has left can be forgotten, by two people, as package erasure says (D70). Their
//     username is free again, and what they did stays under their identifier. Of two members
//     of staff who confirm an erasure, neither opened or reset the other's account, and neither
//     account was opened, reset or given its role after 24 hours before the request. If one
//     person has opened both, both had a passkey before it (D135).
package staff
