package bearer

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// A check that is added has to say what is kept of its refusals.
func TestEveryCheckHasASaying_D95(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("refusal.go")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?:refuse|invalid)\("([a-z-]+)"`).FindAllSubmatch(source, -1)
	if len(found) < 20 {
		t.Fatalf("only %d checks are found", len(found))
	}
	for _, match := range found {
		reason := Reason(match[1])
		nobodys := slices.Contains([]Reason{"header-missing", "header-format", "too-long", "parts"}, reason) // no application is named
		if !nobodys && !slices.ContainsFunc(sayings, func(s saying) bool { return s.reason == reason }) {
			t.Errorf("unproven_sayings.go says nothing of %s", reason)
		}
	}
	if len(sayings) > 255 {
		t.Errorf("%d sayings do not fit into a byte", len(sayings))
	}
}
