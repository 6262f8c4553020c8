package bearer

import (
	"slices"
	"strings"
	"testing"
)

// A new check must have a saying for its refusals.
func TestEveryCheckHasASaying_D95(t *testing.T) {
	t.Parallel()
	for _, refusal := range Refusals() {
		if !slices.ContainsFunc(sayings, func(s saying) bool { return s.reason == refusal.Reason }) {
			t.Errorf("unproven_sayings.go says nothing of %s", refusal.Reason)
		}
	}
	for _, s := range sayings {
		if strings.Contains(s.sentence, "%") {
			t.Errorf("what stands for %s has a verb: %s", s.reason, s.sentence)
		}
	}
	if len(sayings) > 255 {
		t.Errorf("%d sayings do not fit into a byte", len(sayings))
	}
}
