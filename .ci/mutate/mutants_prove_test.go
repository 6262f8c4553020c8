//go:build prove

package main

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"frontdesk/adapters/provetest"
)

// The report of a night: another sample each time, with its seed. Survivors fail nothing, because a
// change may make no difference; their diffs are in the output.
func TestProveMutantsAreNoticed(t *testing.T) {
	t.Chdir("../..")
	c := config{
		patterns: []string{"./domain/...", "./commands"}, count: provetest.Pick(8, 100), seed: rand.Uint64N(1_000_000),
		also: []string{"./commands"},
	}
	if provetest.Pick(false, true) {
		c.patterns = append(c.patterns, "./projections/...", "./adapters/...")
	}
	var out bytes.Buffer
	results, err := c.mutate(t.Context(), &out)
	t.Log(out.String())
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, r := range results {
		counts[r.outcome]++
	}
	provetest.Tried(t, len(results)-counts[uncompiled], "mutants")
	provetest.Tried(t, counts[killed]+counts[timedOut], "killed mutants")
}
