// Package bearer finds out who is calling (§5). It turns the Authorization header
// of a call into a [frontdesk/domain/access.Caller], or into one of a closed set
// of refusals. Package access judges what the caller may do.
//
// The order is that of D1. Cheap checks come before dear ones, and the first
// refusal is the only one:
//
//	header ─→ Parse ─→ Rights ─→ KeyCache ─→ Verify
//	          no key    one       a fetch     one
//	          needed    query     an hour     key
//	╰──────── Recognise ──────╯  ╰───── prove ─────╯
//
// They are two steps, because a caller may have to wait for a key set. Meanwhile
// the call should hold nothing that others need.
//
// Its parts:
//
//   - [Parse] and [Token.Verify] are pure. They judge a token by the time and the
//     keys that they are given.
//   - [ReadKeySet] keeps the usable keys of a set. An odd key does not spoil the
//     others.
//   - [KeyCache] fetches sets, one fetch at a time for each URL. It keeps a set for
//     an hour, unless the application has it read again, and never keeps a failure.
//     It bounds how many callers wait.
//   - [Authenticator] joins them.
//   - [Refusal] says why a call is turned away; refusal.go lists all refusals.
//
// Trust: everything in a token may be an attacker's until its signature was found
// right. The content and the server of a key set belong to the application, which
// can at most lock itself out with them.
package bearer
