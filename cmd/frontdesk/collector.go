package main

import "runtime/debug"

// The program's live heap is small, and each call allocates more than it keeps. With Go's
// defaults, the collector would run many times a second. So it lets the heap grow to five
// times its live size, and begins earlier where the live heap is large.
const (
	mayGrowBy = 400       // percent
	mayHold   = 384 << 20 // bytes of Go's memory, beyond which it collects all the time
)

// collectSeldom sets the collector, unless the operator has: the environment takes
// precedence.
func collectSeldom(environment func(name string) string) {
	if environment("GOGC") != "" {
		return
	}
	debug.SetGCPercent(mayGrowBy)
	if environment("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(mayHold)
	}
}
