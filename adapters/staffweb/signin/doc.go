// Package signin authenticates staff: passwords, attempts, devices and sessions (D27).
//
//	Service.VerifyPassword ── Guesses.Try    ── the source's budget of wrong guesses; skipped for a known device
//	                       ── Tries.Limit    ── the wait of the account; skipped for a known device
//	                       ── Queue          ── known devices and sources take turns
//	                       ── Tries.Reserve or, for a known device, Devices.Reserve:
//	                                            counted and committed before any hashing
//	                       ── PasswordStore.Check ── argon2id
//	                       ── Tries.Forget
//	Service.BeginSession   ── Devices.Renew, Sessions.Begin
//	Sessions.Find          ── each page
//	Journal                ── appends sign-ins, sign-outs and failed attempts to the log,
//	                          behind the answer
//
// attempt.go has the order of an attempt, and the guesses of a source. tries.go has the limits
// of a source and of an account, and sessions.go sessions, and known devices with their limit.
//
// The log and the counts of attempts store marks in place of sources (D65).
//
// Credentials are not in the log, which only records that a password was set, and the
// digest of its hash. A session also needs an active member of staff whose password is
// still the one that it began with. The read models that are updated with the log
// answer that. So deactivation or a new password ends their sessions at the next page,
// on every replica.
//
// Sessions have a table of their own instead of a session library. Such a library has
// one cookie name, and here each practice has its own; it stores bytes that no query
// can read; and it reads the clock itself.
//
// Trust: read access to the tables allows neither sign-in nor session takeover, because
// the tables hold hashes. Write access to only staff_passwords does not allow sign-in
// either, because the log has the digest of each hash (D56). Write access to the
// sessions, or to the read model of staff, allows acting as anyone at the practice.
package signin
