//go:build prove

package app_test

import (
	"math/rand/v2"
	"testing"

	"frontdesk/adapters/provetest"
)

// TestProveGeneratedCallsAreDescribed_D150 makes 20,000 calls.
func TestProveGeneratedCallsAreDescribed_D150(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	g := newGenerator(t, seed)
	g.callAtLeast(20_000)
	g.wantReached()
	provetest.Tried(t, g.made, "calls")
}
