// Package durable writes files that survive a power failure, and locks files
// that one process at a time may use.
package durable
