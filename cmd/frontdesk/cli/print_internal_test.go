package cli

import (
	"strings"
	"testing"
)

func TestWhatIsVisibleIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Zoë\t李 🩺\n":          "Zoë\t李 🩺\n",
		"نیم\u200cفاصله":      "نیم\u200cفاصله", // a joiner that Persian needs
		"a\x9bb\xffc\ufffdd":  `a\x9bb\xffc` + "\ufffdd",
		"a\u0085b\u061cc":     `a\u0085b\u061cc`,
		"cut \xe2\x80":        `cut \xe2\x80`,
		`a written \u009b`:    `a written \u009b`,
		"\x00\u200e\u2069end": `\u0000\u200e\u2069end`,
	} {
		var out strings.Builder
		if n, err := (visible{&out}).Write([]byte(text)); n != len(text) || err != nil || out.String() != want {
			t.Errorf("%q is shown as %q (%d, %v), want %q", text, out.String(), n, err, want)
		}
	}
}
