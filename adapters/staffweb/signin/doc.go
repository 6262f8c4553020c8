// Package signin knows who is at the browser: passwords, tries, devices and sessions
// of staff (D27).
//
//	Door.Prove  ── Guesses.Try    ── what the source may get wrong; a known device is not asked
//	            ── Queue          ── known devices and sources take turns
//	            ── Tries.Reserve or, for a known device, Devices.Reserve:
//	                                 counted and committed before anything is hashed
//	            ── Vault.Check    ── argon2id
//	            ── Tries.Forget
//	Door.Admit  ── Devices.Renew, Sessions.Begin
//	Sessions.Of ── each page
//	Journal     ── tells the log behind the answer: who signed in and out, and at whose
//	               accounts others have tried
//
// The log and the counts of tries store marks in place of sources (D65).
//
// What decides who is let in is not in the log, which only says that a password was set,
// and which digest its hash has. A session also needs an active member of staff who still
// has the password that it was begun with. The read models that are updated with the log
// answer that, so deactivating somebody or setting a password ends their sessions for the
// very next page, on every replica.
//
// Sessions have a table of their own instead of a session library. Such a
// library has one cookie name, and here each practice has its own; it stores
// bytes that no query can read; and it reads the clock itself.
//
// Trust: somebody who can read the tables cannot sign in and cannot take over a
// session, because the tables hold hashes. Somebody who can write to staff_passwords
// alone cannot sign in either, because the log knows each hash by its digest (D56).
// Somebody who can write to the sessions, or to the read model of staff, can act as
// anybody at the practice.
package signin
