//go:build prove

package tampering_test

import "testing"

// The same with 1,400 events, whose trees have full tiles.
func TestProveWhoCatchesAnAttack_D81(t *testing.T) {
	t.Parallel()
	everyAttack(t, size{witnessed: 900, kept: 1000, signed: 1100, all: 1200, oak: 200})
}
