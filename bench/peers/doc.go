// Package peers compares the log of events with other stores of events that keep them in Postgres:
// watermill-sql with a schema of its own, message-db and emmett-postgresql. All of them work on one
// cluster, which flushes, each in a database of its own, and take turns in a random order. Run it
// with `make peers`.
//
// It is a module of its own, so that the product depends on none of them. Those that are written
// for Node.js run in a child process, which takes the same orders as those written in Go.
package peers
