// Package provetest is for proofs: the tests named TestProve…, which `make nightly` and
// `make prove` run. A proof takes its numbers from here, few for a night or many for a
// release, and reports how many it tried.
package provetest

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// Variable is the environment variable for how much a proof tries: empty for a night,
// [Long], or a time such as "1h", which is long and lasts that long.
const Variable = "FRONTDESK_PROVE"

// Long is the value of [Variable] in `make prove`.
const Long = "long"

// TriedKey is the key of the test attributes of [Tried].
const TriedKey = "tried"

// Pick returns the first value in a night, and the second for a release.
func Pick[T any](night, release T) T {
	if os.Getenv(Variable) == "" {
		return night
	}
	return release
}

// Lasts returns how long a proof continues. It ends the test if [Variable] has any
// other value than the word or a time.
func Lasts(tb testing.TB, night, release time.Duration) time.Duration {
	tb.Helper()
	text := os.Getenv(Variable)
	if text == "" || text == Long {
		return Pick(night, release)
	}
	long, err := time.ParseDuration(text)
	if err != nil {
		tb.Fatalf("%s is neither %q nor a time: %v", Variable, Long, err)
	}
	return long
}

// Tried reports that the test has tried something n times: kills, calls, events. The
// counts of a proof and its subtests are added up by kind. The test fails if n is not
// positive, or if the kind contains a comma.
func Tried(tb testing.TB, n int, what string) {
	tb.Helper()
	if n <= 0 {
		tb.Errorf("tried no %s", what)
		return
	}
	if strings.Contains(what, ",") { // the table of proofs separates counts by commas
		tb.Errorf("%q must be one kind, without a comma", what)
		return
	}
	tb.Attr(TriedKey, fmt.Sprintf("%d %s", n, what))
}
