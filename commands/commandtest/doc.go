// Package commandtest lets commands be tested without a database. Its store in memory
// passes the same conformance suite as the real one, and answers what commands ask of
// the read models.
package commandtest
