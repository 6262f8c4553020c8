package refusals

import (
	"cmp"
	"regexp"
	"strings"
	"sync"

	"frontdesk/adapters/bearer"
	"frontdesk/domain/access"
)

// Page is where a code is explained, from the root of the repository.
func Page(code string) string { return "docs/errors/" + code + ".md" }

// Find returns the fix of a refusal; "" if it is not in the table, as a newer service's may
// not be.
func Find(code, description string) (do string) {
	for _, known := range matchers() {
		if known.code == code && known.pattern.MatchString(description) {
			return known.do
		}
	}
	return ""
}

// FindOf returns the fix of a refused call that has a history: the rule of calls or the check
// of tokens that refused it is known, if it was one. "" is as with [Find].
func FindOf(rule, code, description string) (do string) {
	return cmp.Or(ofRules[access.Rule(rule)], ofReasons[bearer.Reason(rule)], Find(code, description))
}

// matcher recognises a sentence with its verbs filled in.
type matcher struct {
	code    string
	pattern *regexp.Regexp
	do      string
}

var matchers = sync.OnceValue(func() (all []matcher) {
	for _, code := range Codes() {
		for _, sentence := range code.Sentences {
			all = append(all, matcher{code.Code, regexp.MustCompile("^" + Pattern(sentence.Text) + "$"), sentence.Do})
		}
	}
	return all
})

// verb is a verb of package fmt in a sentence.
var verb = regexp.MustCompile(`%(\[\d\])?[sdv]`)

// Pattern returns a regular expression for a sentence whose verbs are filled in.
func Pattern(sentence string) string {
	var pattern strings.Builder
	rest := sentence
	for _, at := range verb.FindAllStringIndex(sentence, -1) {
		begin := at[0] - (len(sentence) - len(rest))
		pattern.WriteString(regexp.QuoteMeta(rest[:begin]) + ".+?")
		rest = sentence[at[1]:]
	}
	return "(?s)" + pattern.String() + regexp.QuoteMeta(rest)
}
