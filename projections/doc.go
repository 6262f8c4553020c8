// Package projections holds the read models. Each defines the rows that it keeps, how
// an event changes them, and the queries on them. SQL lives here on purpose: a
// projection is SQL.
//
// No read model holds the name of a patient. [Names] decrypts the events that contain
// it, and package patientindex finds patients by their names. Package applications has
// the queries about applications, package history reads the events themselves, and package
// directory lists what is registered.
//
// Project queues statements and reads nothing: no clock, no random number, no query.
// The same code runs inside an append ([AtOnce]), behind the feed ([Following]) and in
// a rebuild. Only the events of one stream write a row, so appends do not wait for each
// other.
package projections
