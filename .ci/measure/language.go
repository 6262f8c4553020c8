package main

import (
	"fmt"
	"regexp"
	"strings"
)

// comments counts words that a comment in the field's own terms does not need. The text after // in
// a line is comment; compiler directives are not.
type comments struct{ words, what, nobody, say int }

var (
	comment    = regexp.MustCompile(`//(.*)`)
	word       = regexp.MustCompile(`[a-z']+`)
	whatWord   = regexp.MustCompile(`\bwhat\b`)
	nobodyWord = regexp.MustCompile(`\b(nobody|somebody|whoever|anybody|everybody)\b`)
	sayWord    = regexp.MustCompile(`\b(say|says|told|tells|tell)\b`)
)

func (c *comments) add(source []byte) {
	for _, found := range comment.FindAllSubmatch(source, -1) {
		text := string(found[1])
		if strings.HasPrefix(text, "go:") || strings.HasPrefix(text, "nolint") {
			continue
		}
		text = strings.ToLower(text)
		c.words += len(word.FindAllString(text, -1))
		c.what += len(whatWord.FindAllString(text, -1))
		c.nobody += len(nobodyWord.FindAllString(text, -1))
		c.say += len(sayWord.FindAllString(text, -1))
	}
}

// perThousand is a share of the words of comments.
func (c *comments) perThousand(found int) string {
	return fmt.Sprintf("%.2f", 1000*float64(found)/float64(max(c.words, 1)))
}

// tests counts test functions, and those whose names narrate instead of using the field's term.
type tests struct{ all, storied int }

var (
	testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	storied      = regexp.MustCompile(`Who($|[^l]|l($|[^e]))|What|Nobody|Somebody|Anybody`) // except Whole
)

func (t *tests) add(source []byte) {
	for _, found := range testFunction.FindAllSubmatch(source, -1) {
		t.all++
		if storied.Match(found[1]) {
			t.storied++
		}
	}
}
