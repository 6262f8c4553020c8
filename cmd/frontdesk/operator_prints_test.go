//go:build walk || prove

package main_test

import (
	"regexp"
	"strings"
)

// prints reports whether an output holds these lines of a page, in this order, among others.
// Three dots match anything.
func prints(said, lines string) bool {
	pattern := "(?m)"
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		for n, word := range words {
			words[n] = strings.ReplaceAll(regexp.QuoteMeta(word), "…", ".*")
		}
		pattern += strings.Join(words, `\s+`) + `(?s:.*)`
	}
	return regexp.MustCompile(pattern).MatchString(said)
}
