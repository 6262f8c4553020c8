// Package clocktest waits for conditions in tests.
package clocktest

import (
	"fmt"
	"testing"
	"time"

	"frontdesk/adapters/clock"
)

const (
	patience = 3 * time.Minute // only ends tests that would fail anyway: machines are slow at times
	pace     = 10 * time.Millisecond
)

// Eventually waits until holds returns true. It fails tb when that takes more
// than three minutes; format and args name the condition in the message. An argument
// of type [Lazy] is formatted as it is at the end of the wait.
func Eventually(tb testing.TB, holds func() bool, format string, args ...any) {
	tb.Helper()
	for watch := clock.Start(); !holds(); time.Sleep(pace) {
		if watch.Elapsed() > patience {
			tb.Fatalf("waited for three minutes: "+format, args...)
		}
	}
}

// Lazy is an argument of [Eventually] that is computed only if the wait fails.
type Lazy func() any

// String formats what l returns.
func (l Lazy) String() string { return fmt.Sprint(l()) }
