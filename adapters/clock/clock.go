// Package clock reads the machine's clock for all other packages.
//
// Code that needs the current time takes a function for it, such as the Now of a Desk.
// A program passes [System]; a test passes a clock that it moves. Durations are
// measured by a [Stopwatch], which is monotonic. A connection's deadline is a
// [Deadline], because the operating system compares it with the machine's clock.
package clock

import "time"

// System returns the machine's time.
func System() time.Time { return time.Now() }

// Deadline returns the machine's time after d, for connections and other code that uses
// that clock.
func Deadline(d time.Duration) time.Time { return time.Now().Add(d) }

// A Stopwatch measures a duration. It is monotonic: it continues evenly when the
// machine's clock is set. The zero Stopwatch has run for ever.
type Stopwatch struct{ started time.Time }

// Start returns a stopwatch that runs from now on.
func Start() Stopwatch { return Stopwatch{time.Now()} }

// Started reports whether the stopwatch was started, and does not run for ever.
func (s Stopwatch) Started() bool { return !s.started.IsZero() }

// Elapsed returns how long the stopwatch has run.
func (s Stopwatch) Elapsed() time.Duration { return time.Since(s.started) }
