// Package signingkey holds the rules of the service's own keys, which sign webhooks
// (D34).
//
//	staged ──24 h──→ active ──→ retiring ──24 h──→ retired
//	published        published  published          gone
//	                 signs
//
// Rules
//  1. A key is RSA of 2048 to 8192 bits. Its kid is its RFC 7638 thumbprint, so that
//     no two keys share one. It is staged once and never returns.
//  2. A staged key is activated 24 h after it was published, when every receiver's
//     cached key set holds it; at once, if nothing is active.
//  3. At most one key is active. Activating another begins its retirement.
//  4. A retiring key is retired 24 h later, when no receiver needs it.
//  5. A staged key has signed nothing, so it may be retired at any time. If the
//     active key was stolen, its retirement may begin without another: nothing is
//     signed then until another is active.
//
// Private keys are no part of any rule, state or event.
package signingkey
