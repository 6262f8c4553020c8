package pagekit

import (
	"strings"
	"testing"
)

func TestTooLongCountsCharacters(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		most int
		want string
	}{
		"empty":              {"", 5, ""},
		"the longest":        {"abcde", 5, ""},
		"one more":           {"abcdef", 5, "Shorten this to at most 5 characters. It has 6."},
		"three-byte letters": {"কখগঘঙ", 5, ""},
		"emoji":              {"😀😀😀😀😀", 5, ""},
		"one emoji more":     {"😀😀😀😀😀😀", 5, "Shorten this to at most 5 characters. It has 6."},
		"space around it":    {" \n abcde \n", 5, ""},
		"thousands":          {strings.Repeat("x", 10_001), 10_000, "Shorten this to at most 10,000 characters. It has 10,001."},
		"a million":          {strings.Repeat("x", 1_002_003), 1_000, "Shorten this to at most 1,000 characters. It has 1,002,003."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := TooLong(c.text, c.most); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
