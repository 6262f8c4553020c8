package httpapi

import (
	"net/http"
	"regexp"
	"strings"
)

// longestAgent bounds what the access record stores of a User-Agent, in bytes.
const longestAgent = 100

// product matches a product of a User-Agent. Its characters are text in a terminal, a
// table and HTML alike.
var product = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._+-]*(/[A-Za-z0-9._+-]+)?$`)

// agentOf returns the first product of a call's User-Agent, such as "curl/8.5.0"; "" if
// it has another form. The rest may describe a person's device. A longer name
// is not cut, because that would show a wrong version.
func agentOf(r *http.Request) string {
	sent := r.Header.Values("User-Agent")
	if len(sent) != 1 {
		return ""
	}
	first, _, _ := strings.Cut(sent[0], " ")
	if len(first) > longestAgent || !product.MatchString(first) {
		return ""
	}
	return first
}
