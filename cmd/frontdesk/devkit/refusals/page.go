package refusals

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/adapters/httpapi"
)

// Meaning returns the description of the code in openapi.json.
func (c Code) Meaning() string {
	return fmt.Sprintf("%d. %s See %s.", c.Status, c.Happened, Page(c.Code))
}

// Page returns the page of the code in Markdown.
func (c Code) Page() []byte {
	var page strings.Builder
	fmt.Fprintf(&page, "# %s\n\n", c.Code)
	fmt.Fprintf(&page, "HTTP status %d (%s). [All codes](README.md)\n\n", c.Status, http.StatusText(c.Status))
	for _, part := range []struct{ title, text string }{
		{"What happened", c.Happened}, {"What is expected", c.Wanted}, {"What to do", c.Do}, {"Can I retry?", string(c.Retry)},
	} {
		fmt.Fprintf(&page, "## %s\n\n%s\n\n", part.title, part.text)
	}
	fmt.Fprintf(&page, "## An answer\n\n```json\n%s\n```\n\n", exampleOf(c.Code))
	page.WriteString("## Possible descriptions\n\n`…` marks the parts that differ from call to call.\n\n")
	c.sentences(&page)
	return []byte(page.String())
}

// sentences lists the sentences, each with its fix unless one fix is common to all.
func (c Code) sentences(page *strings.Builder) {
	if !slices.ContainsFunc(c.Sentences, func(s Sentence) bool { return s.Do != c.Do }) {
		for _, sentence := range c.Sentences {
			fmt.Fprintf(page, "- %s\n", sentence.Blanked())
		}
		return
	}
	page.WriteString("| description | what to do |\n|---|---|\n")
	for _, sentence := range c.Sentences {
		fmt.Fprintf(page, "| %s | %s |\n", cell(sentence.Blanked()), cell(sentence.Do))
	}
}

// exampleOf returns the example of a code's answer in the OpenAPI description; "" if it has
// none.
func exampleOf(code string) string {
	var description struct {
		Components struct {
			Examples map[string]struct{ Value jsontext.Value }
		}
	}
	if err := json.Unmarshal(httpapi.Description(""), &description, json.MatchCaseInsensitiveNames(true)); err != nil {
		return ""
	}
	example := description.Components.Examples[code].Value
	_ = example.Indent(jsontext.WithIndent("  "))
	return string(example)
}

// Index returns the page that leads to all others.
func Index() []byte {
	var page strings.Builder
	page.WriteString("# Error codes\n\n" +
		"Every refusal of the Transactional API has the form `{\"errors\": [{\"code\", \"description\"}]}`. Programs go by the code; the\n" +
		"description is for people: it names the problem and the expected value. These pages are made of the table that the service, its\n" +
		"OpenAPI description and `frontdesk token explain` share.\n\n" +
		"`X-Request-Id` is in every answer: quote it when you ask about one.\n\n" +
		"| code | status | what happened | again? |\n|---|---|---|---|\n")
	for _, code := range Codes() {
		again, _, _ := strings.Cut(string(code.Retry), ":")
		again, _, _ = strings.Cut(again, ".")
		fmt.Fprintf(&page, "| [%s](%s.md) | %d | %s | %s |\n", code.Code, code.Code, code.Status, cell(code.Happened), again)
	}
	return []byte(page.String())
}

// Blanked returns the text with "…" for the parts that vary from call to call.
func (s Sentence) Blanked() string { return verb.ReplaceAllString(s.Text, "…") }

// cell returns text that fits in one cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;").Replace(text)
}
