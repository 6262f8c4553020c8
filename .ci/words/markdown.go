package main

import (
	"regexp"
	"strings"
)

// numbered is a line of a file.
type numbered struct {
	text string
	line int
}

var (
	frontMatter = regexp.MustCompile(`\A---\n(?s:.*?)\n---\n`)
	remark      = regexp.MustCompile(`<!--(?s:.*?)-->`)
	fence       = regexp.MustCompile("^(`{3,}|~{3,})")
	heading     = regexp.MustCompile(`^#{1,6}\s`)
	item        = regexp.MustCompile(`^(?:[-*+]|\d+[.)])\s+`)
	quote       = regexp.MustCompile(`^>\s?`)
)

// linesOf numbers the lines of a page, without front matter and remarks. A
// remark of several lines joins the line before it to the line after it.
func linesOf(page string) []numbered {
	const removed = "\x00" // in place of each line break that is removed
	hide := func(s string) string { return strings.Repeat(removed, strings.Count(s, "\n")) }
	page = frontMatter.ReplaceAllStringFunc(page, hide)
	page = remark.ReplaceAllStringFunc(page, hide)
	var lines []numbered
	number := 1
	for text := range strings.SplitSeq(page, "\n") {
		lines = append(lines, numbered{strings.ReplaceAll(text, removed, ""), number})
		number += 1 + strings.Count(text, removed)
	}
	return lines
}

// paragraphs joins the lines of each paragraph and list item of Markdown.
// Headings, tables and code are left out.
func paragraphs(lines []numbered) []prose {
	var all []prose
	var open prose
	flush := func() {
		if open.text != "" {
			all = append(all, open.plain())
		}
		open = prose{}
	}
	fenced := ""
	for _, l := range lines {
		text := strings.TrimSpace(l.text)
		opening := fence.FindString(text)
		switch {
		case fenced != "":
			if strings.HasPrefix(text, fenced) {
				fenced = ""
			}
			continue
		case opening != "":
			fenced = opening
			flush()
			continue
		case text == "" || strings.HasPrefix(text, "|") || heading.MatchString(text):
			flush()
			continue
		case strings.HasPrefix(l.text, "    ") && open.text == "":
			continue // code
		}
		if mark := item.FindString(text); mark != "" {
			flush()
			text = text[len(mark):]
		}
		if open.text != "" {
			open = open.and(" ", l.line)
		}
		open = open.and(quote.ReplaceAllString(text, ""), l.line)
	}
	flush()
	return all
}
