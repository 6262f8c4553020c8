// Package projections holds the read models. Each says which rows it keeps, how an
// event changes them, and what may be asked of them. SQL lives here on purpose: a
// projection is SQL.
//
// No read model holds the name of a patient. [Names] opens the events that say it, and
// [Book] finds patients by their names.
//
// Project queues statements and reads nothing: no clock, no random number, no
// query. The same code runs inside an append ([AtOnce]), behind the feed
// ([Following]) and in a rebuild. Each row is written by the events of one stream
// only, so that appends do not wait for each other.
package projections
