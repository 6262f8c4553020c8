// Package broker relays the log to NATS JetStream, for followers outside of the database.
//
// The log of one epoch is one stream, and an event's idx is its sequence there. So the
// stream itself says how far the relay has come: there is no offset to keep, and nothing
// to repair after a crash.
//
// Rules
//  1. Each message is published under the condition that the one before it is the
//     stream's last. So the order is the log's, and nothing is there twice, however
//     many messages are in flight and however many relays there are.
//  2. A message that is refused, or whose acknowledgement is lost, is no failure: the
//     stream is asked for its end, what is there is compared with the log, and the relay
//     goes on behind it.
//  3. What is relayed was read in one statement with the epoch that it belongs to. A
//     database that has begun another epoch meanwhile goes into another stream.
//  4. A stream that has come further than the log, or has another event where the log
//     has one, holds a history that was lost. Nothing is written behind it.
//  5. Everything else that stands in the way passes, or is mended by an operator: a
//     broker or a database that is away, a standby, a log in clear. The relay waits, says
//     so once, and then rarely.
package broker
