// Package bearer finds out who is calling: it turns the Authorization header
// of a call into a [frontdesk/domain/access.Caller], or into one of a closed set
// of refusals (§5, §7.2). Whether the caller may, is for package access to judge.
//
// The order is that of D1, the cheap before the dear, the first refusal only:
//
//	header ─→ Parse ─→ Rights ─→ KeyCache ─→ Verify
//	          no key    one       a fetch     one
//	          needed    query     an hour     key
//
// Its parts:
//
//   - [Parse] and [Token.Verify] are pure: token, time and keys in, verdict out.
//   - [ReadKeySet] keeps the usable keys of a set; one odd key spoils no other.
//   - [KeyCache] fetches sets: one flight at a time per URL, success kept for an
//     hour, failure never.
//   - [Authenticator] joins them.
//   - [Refusal] is every way to be turned away; refusal.go lists them all.
//
// Trust: everything in a token is an attacker's until its signature holds, and
// a key set's content and server are the application's own: with them it can
// lock out itself, at most.
package bearer
