// Package dev is `frontdesk dev`: one command that somebody runs in their own code base,
// and that makes it an application of a sandbox.
//
// It makes a key, publishes its key set, and lets the sandbox that it finds or starts
// know the application: registered, enabled, with every grant and every webhook. It
// receives the webhooks, and hands them on with [frontdesk/cmd/frontdesk/dev/forward]. A
// page shows all of it: [frontdesk/cmd/frontdesk/dev/page].
//
//	KeyDir/key.pem        the private key that tokens are signed with
//	KeyDir/next-key.pem   the one that will be, once the service holds its public half
//	KeyDir/old-key.pem    the one that was; still published
//	KeyDir/identity.json  what stays from one start to the next
//	KeyDir/dev.json       everything that code needs; there while dev runs
//	KeyDir/dev.lock       held while dev runs
//
// Everything that runs beside [Run] is started by it, and ended in reverse.
package dev
