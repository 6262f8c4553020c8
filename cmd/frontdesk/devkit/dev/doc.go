// Package dev is `frontdesk dev`: one command that a developer runs in their own code base,
// and that makes it an application of a sandbox.
//
// It makes a key and publishes its key set. It registers and enables the application in the
// sandbox that it finds or starts, with every grant and every webhook. It receives the
// webhooks, and forwards them with [frontdesk/cmd/frontdesk/devkit/dev/forward]. A page shows all of
// it: [frontdesk/cmd/frontdesk/devkit/dev/page].
//
//	KeyDir/key.pem        the private key that tokens are signed with
//	KeyDir/next-key.pem   the next one, until the service holds its public half
//	KeyDir/old-key.pem    the previous one; still published
//	KeyDir/identity.json  the identity, kept across starts
//	KeyDir/dev.json       everything that code needs; there while dev runs
//	KeyDir/dev.lock       held while dev runs
//
// [Run] starts all other goroutines, and ends them in reverse.
package dev
