package term_test

import (
	"testing"

	"frontdesk/cmd/frontdesk/cli/term"
)

func TestAnUnknownNameSuggestsTheNearest(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"busy":  "",
		"bussy": `unknown seed "bussy", did you mean "busy"?`,
		"quite": `unknown seed "quite": give quiet or busy`,
		"quit":  `unknown seed "quit", did you mean "quiet"?`,
		"":      `unknown seed "": give quiet or busy`,
	} {
		got := ""
		if err := term.OneOf("seed", typed, "quiet", "busy"); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}
