// Package staff holds the rules about the staff of a practice.
//
// Rules
//  1. A username is 1 to 128 printable characters, is not a UUID, and is unique
//     within the practice, with exact case (D35). The store keeps it unique, because
//     no stream knows the others.
//  2. The rights of a member of staff end at once when they are deactivated (D14). A
//     reactivated member has none of their former passwords and authorisations.
//  3. The password of an active member of staff can be set, if it is fit: long
//     enough, and not guessable in any usual spelling (D142). A password that was set
//     before stays valid in any case. The log names it by an opaque id,
//     and holds a digest of its hash; no password and no hash is in the log (D27,
//     D56).
//  4. A member of staff has any number of roles, which define their rights on the
//     practice's pages and nothing else. A member who was registered as administrator
//     is manager until roles are set (D63).
//  5. A link lets its holder choose a password once, within 72 hours. Only the
//     newest link is valid. A member is invited while they have no password; a reset
//     ends their password, and everything that was begun with it (D64).
//  6. The pages cannot take from a practice its last manager who can sign in (D63).
//     The store refuses it, because no stream knows the others.
//  7. The log records the beginning of each session once, and its end once if the
//     member of staff ends it. It records failed attempts at an account, and its
//     locking, at most once a minute each; the rest is counted (D65).
//  8. A member of staff who signs in has at most 10 passkeys. A member with a
//     passkey signs in with it, alone or after the password, and never only with the
//     password. A reset and a reactivation remove all of them (D66).
//  9. Two people can erase a former member, according to package erasure (D70).
//     Their username becomes free again, and their acts stay under their identifier. Of two
//     members who confirm an erasure, neither opened or reset the other's account,
//     and neither account was opened, reset or given its role after 24 hours before
//     the request. If one person opened both, both had a passkey before it (D135).
//  10. A reset, or a reactivation, of a member who has a passkey takes a request, and
//     then a second person who is independent of the first, or 24 hours. The owner of the
//     account can stop it. A request ends after 7 days (D141).
//  11. A practice says which roles need a passkey: managers and privacy officers, until it
//     chooses. Any manager can put a role on the list. Only a manager with a passkey can take
//     one off, or an operator before anyone of the practice had a password (D152).
//  12. A member who needs a passkey and has none can work without one for 14 days. The days
//     count from the choice of their first password, from the role, or from the rule. They go on
//     after a pause of less than 14 days, except after an operator's reset or reactivation. Then
//     the member can only add a passkey. The last passkey of a member who needs one cannot be
//     removed (D152).
//  13. The practice keeps up to 40 teams of its staff, each with its own name. A change names
//     the state of the team that its author has read (D164).
package staff
