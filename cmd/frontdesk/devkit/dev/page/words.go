package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"frontdesk.example/client"
	"frontdesk/cmd/frontdesk/devkit/refusals"
	"frontdesk/domain/application"
)

// words are the functions of the template.
var words = template.FuncMap{
	"clock":    func(t time.Time) string { return t.Local().Format(time.TimeOnly) },
	"instant":  func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"ms":       func(ms int) string { return fmt.Sprintf("%d ms", ms) },
	"took":     Took,
	"ahead":    ahead,
	"indented": indented,
	"headers":  headers,
	"happens":  doing,
	"reason":   http.StatusText,
	"title":    titleOf,
	"fix":      func(c client.JudgedCall) string { return refusals.FindOf(c.Rule, string(c.Code), c.Description) },
}

// Took is a duration as people read it.
func Took(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }

// doing is the label of the button that makes an event happen.
func doing(event application.WebhookEvent) string {
	kind, _ := application.FindWebhook(event)
	return kind.Do
}

// ahead describes the difference of a clock from real time.
func ahead(by time.Duration) string {
	switch {
	case by.Abs() < 2*time.Second:
		return "real time"
	case by < 0:
		return by.Abs().Round(time.Second).String() + " behind real time"
	}
	return by.Round(time.Second).String() + " ahead of real time"
}

// indented is JSON for people; other text is returned as it is.
func indented(raw []byte) string {
	var text bytes.Buffer
	if json.Indent(&text, bytes.TrimSpace(raw), "", "  ") != nil {
		return string(raw)
	}
	return text.String()
}

// headers is a header, a line each, in the order of the alphabet.
func headers(h http.Header) string {
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			fmt.Fprintf(&lines, "%s: %s\n", name, value)
		}
	}
	return lines.String()
}
