// Package background does work behind calls: a loop that works until a context
// ends, a sleep, and a broadcast that wakes all who wait.
package background
