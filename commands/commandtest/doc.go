// Package commandtest lets commands be tested without a database. Its store in memory
// passes the same conformance suite as the real one, and answers the queries of
// commands to the read models.
package commandtest
