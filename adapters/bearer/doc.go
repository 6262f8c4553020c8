// Package bearer authenticates callers (§5). It turns the Authorization header of a
// call into a [frontdesk/domain/access.Caller], or into one of a closed set of
// refusals. Package access decides the caller's rights.
//
// The order is that of D1. Cheap checks come before expensive ones, and the first
// refusal ends them:
//
//	header ─→ Parse ─→ Rights ─→ KeyCache ─→ Verify
//	          no key    one       a fetch     one
//	          needed    query     an hour     key
//	╰──────── Recognise ──────╯  ╰───── prove ─────╯
//
// There are two steps, because a caller may have to wait for a key set. A waiting call
// should hold nothing that other calls need.
//
// Its parts:
//
//   - [Parse] and [Token.Verify] are pure. They check a token against a given time and
//     given keys.
//   - [ReadKeySet] keeps the usable keys of a set. A malformed key does not affect the
//     others.
//   - [KeyCache] fetches sets, one fetch at a time for each URL. It keeps a set for an
//     hour, unless the application has it fetched again, and never keeps a failure. It
//     limits the number of callers that wait.
//   - [Authenticator] joins them.
//   - claims.go has the limits of the times in a token (D4).
//   - [Refusal] is why a call is refused; refusal.go lists all refusals.
//
// Trust: everything in a token is untrusted until its signature is verified. The
// content and the server of a key set belong to the application, which can at worst
// lock itself out.
package bearer
