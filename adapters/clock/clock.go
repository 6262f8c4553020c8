// Package clock reads the machine's clock, so that other packages need not.
//
// What happens at an instant takes that instant from a function that is passed
// in, such as the Now of a Desk. A program passes [System]; a test passes a
// clock that it moves. How long something takes is measured by a [Stopwatch],
// which no change of the clock affects. A connection's deadline is a [Deadline],
// because the operating system compares it with the machine's clock.
package clock

import "time"

// System returns the time that the machine's clock shows.
func System() time.Time { return time.Now() }

// Deadline returns the instant at which d is over by the machine's clock, for
// connections and whatever else compares with that clock.
func Deadline(d time.Duration) time.Time { return time.Now().Add(d) }

// A Stopwatch measures how long something takes. It is monotonic: it goes on
// evenly when the machine's clock is set. The zero Stopwatch has run for ever.
type Stopwatch struct{ started time.Time }

// Start returns a stopwatch that runs from now on.
func Start() Stopwatch { return Stopwatch{time.Now()} }

// Started reports whether the stopwatch runs since a start, and not for ever.
func (s Stopwatch) Started() bool { return !s.started.IsZero() }

// Elapsed returns how long the stopwatch has run.
func (s Stopwatch) Elapsed() time.Duration { return time.Since(s.started) }
