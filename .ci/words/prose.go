package main

import (
	"regexp"
	"strings"
)

// prose is text of which each byte knows its line in the file.
type prose struct {
	text  string
	lines []int
}

// and appends a text that is all in one line of the file.
func (p prose) and(text string, line int) prose {
	for range len(text) {
		p.lines = append(p.lines, line)
	}
	return prose{p.text + text, p.lines}
}

// replace replaces all matches by a text. A pattern with a group keeps the group's text there.
func (p prose) replace(pattern *regexp.Regexp, with string) prose {
	var b strings.Builder
	lines := make([]int, 0, len(p.lines))
	keep := func(from, to int) {
		b.WriteString(p.text[from:to])
		lines = append(lines, p.lines[from:to]...)
	}
	end := 0
	for _, at := range pattern.FindAllStringSubmatchIndex(p.text, -1) {
		keep(end, at[0])
		end = at[1]
		if len(at) > 2 {
			keep(at[2], at[3])
			continue
		}
		b.WriteString(with)
		for range len(with) {
			lines = append(lines, p.lines[at[0]])
		}
	}
	keep(end, len(p.text))
	return prose{b.String(), lines}
}

// markup is the syntax that Markdown adds to text, in the order of its removal.
var markup = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`!\[[^\]]*\]\([^)]*\)`), ""},
	{regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`), ""},
	{regexp.MustCompile(`\[([^\]]*)\]\[[^\]]*\]`), ""},
	{regexp.MustCompile("``[^`]*``|`[^`]*`"), " CODE "},
	{regexp.MustCompile(`<[^>]+>`), " "},
	{regexp.MustCompile(`\{\{.*?\}\}`), " "},
	{regexp.MustCompile(`[*_~]{1,3}(\S[^*_~]*\S|\S)[*_~]{1,3}`), ""},
	{regexp.MustCompile(`https?://\S+`), " CODE "},
	{regexp.MustCompile(`\s+`), " "},
	{regexp.MustCompile(`^ | $`), ""},
}

// plain is the text without its markup, in one line.
func (p prose) plain() prose {
	for _, m := range markup {
		p = p.replace(m.pattern, m.with)
	}
	return p
}
