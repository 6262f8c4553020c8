// Package projections is the read models, one a file: its rows, how an event
// moves it, and what may be asked of it. SQL lives here on purpose: a
// projection is SQL.
//
// Project queues statements and reads nothing: no clock, no random number, no
// query. The same code runs inside an append ([AtOnce]), behind the feed
// ([Following]) and in a rebuild. Each row is written by the events of one
// stream alone, so that appends do not wait for each other.
package projections
