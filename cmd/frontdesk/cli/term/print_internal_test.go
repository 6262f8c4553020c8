package term

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
)

func TestVisibleTextIsUnchanged(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Zoë\t李 🩺\n":          "Zoë\t李 🩺\n",
		"نیم\u200cفاصله":      "نیم\u200cفاصله", // a joiner that Persian needs
		"a\x9bb\xffc\ufffdd":  `a\ufffdb\ufffdc` + "\ufffdd",
		"a\u0085b\u061cc":     `a\u0085b\u061cc`,
		"cut \xe2\x80":        `cut \ufffd\ufffd`,
		`a written \u009b`:    `a written \u009b`,
		"\x00\u200e\u2069end": `\u0000\u200e\u2069end`,
	} {
		var out strings.Builder
		if n, err := (&Visible{w: &out}).Write([]byte(text)); n != len(text) || err != nil || out.String() != want {
			t.Errorf("%q is shown as %q (%d, %v), want %q", text, out.String(), n, err, want)
		}
	}
}

func TestTheProgramsLogKeepsItsMeaning_D50(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	NewLog(&Visible{w: &out}).ErrorContext(t.Context(), "failed\u202e", slog.String("error", "a\u009b\x1b\u2066b"))
	var line struct{ Msg, Error string }
	if err := json.Unmarshal([]byte(out.String()), &line); err != nil || line.Msg != "failed\u202e" || line.Error != "a\u009b\x1b\u2066b" {
		t.Errorf("%q, %v", line, err)
	}
	if strings.ContainsAny(out.String(), "\u202e\u009b\x1b\u2066") {
		t.Errorf("a terminal would act on %q", &out)
	}
}
