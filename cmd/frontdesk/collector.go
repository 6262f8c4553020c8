package main

import "runtime/debug"

// What the program needs from one moment to the next is little, and each call adds more
// than it leaves. As Go is set, the collector would run many times a second. So it lets
// the heap grow to five times what was in use, and begins earlier where much is in use.
const (
	mayGrowBy = 400       // percent
	mayHold   = 384 << 20 // bytes of Go's memory, beyond which it collects all the time
)

// collectSeldom sets the collector, unless the operator has: what the environment says
// counts.
func collectSeldom(environment func(name string) string) {
	if environment("GOGC") != "" {
		return
	}
	debug.SetGCPercent(mayGrowBy)
	if environment("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(mayHold)
	}
}
