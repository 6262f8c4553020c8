// Package clocktest waits for what happens elsewhere, in tests.
package clocktest

import (
	"testing"
	"time"

	"frontdesk/adapters/clock"
)

const (
	patience = 3 * time.Minute // ends only what would fail anyway: machines are slow at times
	pace     = 10 * time.Millisecond
)

// Eventually waits until holds returns true. It fails tb when that takes more
// than three minutes; format and args say what it has waited for.
func Eventually(tb testing.TB, holds func() bool, format string, args ...any) {
	tb.Helper()
	for watch := clock.Start(); !holds(); time.Sleep(pace) {
		if watch.Elapsed() > patience {
			tb.Fatalf("waited for three minutes: "+format, args...)
		}
	}
}
