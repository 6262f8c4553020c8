// Package broker relays the log to NATS JetStream, for followers outside the database.
//
// The log of one epoch is one stream, and an event's idx is its sequence there. So the
// stream itself holds the relay's position: there is no offset to store, and nothing to
// repair after a crash.
//
// pump.go publishes every event, because idx is the sequence. follower.go limits a follower
// to one practice, if the operator wants that. source.go is the interface to the log, which
// package app implements.
//
// Rules
//  1. Each message is published on the condition that the one before it is the
//     stream's last. So the order is the log's, and no message is stored twice,
//     however many are in flight and however many relays run.
//  2. A refused message, or a lost acknowledgement, is not a failure: the relay reads
//     the end of the stream, compares it with the log, and continues after it.
//  3. Events are read in one statement with their epoch. If the database begins
//     another epoch in between, its events go into another stream.
//  4. A stream that is ahead of the log, or differs from it, holds a lost history. The
//     relay appends nothing to it.
//  5. All other problems pass, or an operator fixes them: an unavailable broker or
//     database, a standby, an unencrypted log. The relay waits, logs it once, and then
//     rarely.
package broker
