// Package signin knows who is at the browser: passwords, tries and sessions of
// staff (D27).
//
//	Desk.SignIn ── Tries.Reserve ── counted and committed before anything is hashed
//	            ── Vault.Check   ── argon2id, as often as there are slots
//	            ── Tries.Forget
//	            ── Sessions.Begin
//	Sessions.Of ── each page
//
// Nothing of it is in the log, which says only that a password was set. What a
// session needs besides, an active member of staff and the password it was
// begun with, is asked of the read models that are kept at once: deactivating
// somebody and setting a password end their sessions for the very next page,
// on every replica.
//
// Sessions have a table of their own rather than a session library's: such a
// library keeps one cookie name, and here each practice has one; it keeps bytes
// that no query can look into; and it reads the clock itself.
//
// Trust: whoever reads the tables can neither sign in nor go on with a session,
// for they hold hashes. Whoever writes to them is anybody at the practice.
package signin
