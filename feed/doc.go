// Package feed reads the log outside of the database: from NATS JetStream, for programs
// that derive their own data from it.
//
// The log of one epoch is one stream of the broker, and an event's idx is its sequence
// there. Postgres is the source of truth: the broker holds committed events only, and a lost
// broker is filled again from the log.
//
// The feed holds no personal data. Personal values are [event.Hidden] in data and metadata, and
// the boxes that hold them stay in the database with their keys.
package feed
