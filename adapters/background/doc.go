// Package background runs work behind calls: a loop that works until a context ends, a
// sleep, and a broadcast that wakes all waiters.
package background
