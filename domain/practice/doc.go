// Package practice is a medical practice, a tenant, and what it allows.
//
// Rules
//  1. A practice is registered once, under a tenant identifier that is a DNS
//     label (D35), with an IANA time zone (D23).
//  2. An application must be enabled by the practice before it may call; it
//     can be disabled, and enabled again (§5.6, D14).
package practice
