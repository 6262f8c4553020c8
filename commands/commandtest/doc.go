// Package commandtest lets a command be tested without a database: a store in
// memory, held to the same conformance suite as the real one, and the read
// models that commands ask, answered from it.
package commandtest
