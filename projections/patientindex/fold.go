package patientindex

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// unaccented has the letters of European names that Unicode does not decompose, in
// lower case, and signs that people type in more than one way.
var unaccented = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i",
	"’", "'", "‘", "'", "`", "'", "‐", "-", "‑", "-", "–", "-")

// folded returns a name in lower case and without accents, as names are compared.
func folded(name string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(name))
	return unaccented.Replace(plain)
}

// hasAll reports whether a folded name has all words in it.
func hasAll(name string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(name, word) {
			return false
		}
	}
	return true
}
