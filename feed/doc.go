// Package feed is the log as it is read outside of the database: from NATS JetStream, by
// programs that make something of their own of it.
//
// The log of one epoch is one stream of the broker, and an event's idx is its sequence
// there. Postgres stays the truth: what is here was committed, and a broker that is lost is
// filled again from the log.
//
// Nothing personal is here. Personal values are [event.Hidden] in data and metadata, and
// the boxes that hold them stay in the database with their keys.
package feed
