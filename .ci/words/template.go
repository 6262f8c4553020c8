package main

import (
	"regexp"
	"strings"
)

// tags is the syntax that HTML and its template add to text, in the order of its removal. A tag
// that is not inside a sentence ends the sentence.
var tags = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`<!--(?s:.*?)-->|<script\b(?s:.*?)</script>|<style\b(?s:.*?)</style>`), " "},
	{regexp.MustCompile(`\{\{(?s:.*?)\}\}`), " "},
	{regexp.MustCompile(`\s+`), " "},
	{regexp.MustCompile(`</?(?:a|abbr|b|code|em|i|kbd|q|small|span|strong|time)\b[^>]*>`), " "},
	{regexp.MustCompile(`\s*<[^>]+>\s*`), "\n"},
	{regexp.MustCompile(` +`), " "},
}

// templateText is the text of an HTML template, with a line for each element.
func templateText(template string) prose {
	var p prose
	for i, line := range strings.SplitAfter(template, "\n") {
		p = p.and(line, i+1)
	}
	for _, t := range tags {
		p = p.replace(t.pattern, t.with)
	}
	return p
}
