package main

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"strings"
)

// A marker is a word, or several, that makes a text read as a translation.
type marker struct {
	pattern *regexp.Regexp
	but     string // before this, the pattern is no marker
	instead string // the words to write
}

func words(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?im)` + pattern) }

var markers = []marker{
	{words(`\bwhoever\b|\bwhomever\b|(?:^|[.!?] )who [\pL\pN_]+ `), "are you", "anyone who, if you, or the role"},
	{words(`\bwhom\b`), "", "who, with the person as the subject"},
	{words(`\bwhat (?:is|was|are|were|has|had|stands|comes|came|you|it|they|staff|somebody|nobody|patients|operators|each|one)\b`), "", "a noun: the deliveries, the settings"},
	{words(`\btold\b`), "", "notified, sent, reported"},
	{words(`\bmend(?:s|ed|ing)?\b`), "", "fix"},
	{words(`\b(?:any|no) more\b`), "", "no longer"},
	{words(`\banew\b|\bbut for\b|\bbeside\b`), "", "again"},
	{words(`\bstands?\b`), "", "is, says"},
	{words(`\bso (?:long|many|much)\b`), " as", "that long, that many, or the figure"},
	{words(`\bby (?:itself|themselves|himself)\b|\bfor itself\b|[\pL\pN_]+ alone\b`), "", "automatically, on its own, only"},
	{words(`(?:^|[.!?] )that (?:you|it|they|this|a|the|somebody) [\pL\pN_]+|\bthere (?:is|are) (?:none|no)\b|\bthat there (?:is|are)\b`), "", "the subject first: it has no"},
	{words(`, too\b`), "", "also, before the verb"},
	{words(`\b(?:somebody|nobody|everybody|anybody)\b`), "", "the role"},
	{words(`\b(?:has|had|have) to do with\b`), "", "concerns, opens, uses"},
}

// instead holds the words that have a replacement of their own.
var instead = map[string]string{
	"beside":    "next to, with",
	"but for":   "except",
	"somebody":  "someone, or the role",
	"nobody":    "no one, cannot",
	"everybody": "everyone, or the role",
	"anybody":   "anyone, or the role",
}

// A hit is one marker in a file.
type hit struct {
	file    string
	line    int
	words   string // in the text
	context string // the words around it, to find it again in another line
	marker  *marker
}

func (h hit) String() string {
	write := cmp.Or(instead[strings.ToLower(h.words)], h.marker.instead)
	return fmt.Sprintf("%s:%d: %q: write %s", h.file, h.line, h.words, write)
}

// isIn reports whether a hit is in a file or a folder.
func (h hit) isIn(name string) bool {
	name = path.Clean(name)
	return h.file == name || path.Dir(h.file) == name
}

// hits finds each marker in a text.
func (p prose) hits(file string) []hit {
	var all []hit
	for i := range markers {
		m := &markers[i]
		for _, at := range m.pattern.FindAllStringIndex(p.text, -1) {
			from, to := at[0], at[1]
			if m.but != "" && strings.HasPrefix(strings.ToLower(p.text[to:]), m.but) {
				continue
			}
			around := p.text[max(0, from-30):min(len(p.text), to+30)]
			found := strings.Trim(p.text[from:to], " .!?,")
			from += strings.Index(p.text[from:to], found)
			all = append(all, hit{file, p.lines[from], found, around, m})
		}
	}
	return all
}
