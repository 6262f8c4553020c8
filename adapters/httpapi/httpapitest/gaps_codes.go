package httpapitest

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

var errorCode = []string{"components", "schemas", "ErrorCode"}

// codes checks the list of codes: each has a description, an example, and an answer
// that may have it.
func (g *gaps) codes() {
	listed := g.listed(errorCode)
	for _, code := range listed {
		if at(g.c.document, append(errorCode, "x-enumDescriptions", code)...) == nil {
			g.add(errorCode, `lacks %s in "x-enumDescriptions"`, code)
		}
		if len(g.answersWith(code)) == 0 {
			g.add(errorCode, "has %s, which no answer lists", code)
		}
	}
	for _, code := range g.names(append(errorCode, "x-enumDescriptions")...) {
		if !slices.Contains(listed, code) {
			g.add(errorCode, `describes %s, which is not in "enum"`, code)
		}
	}
}

// listed returns the enum or the const of a schema.
func (g *gaps) listed(schema []string) (codes []string) {
	if only, has := at(g.c.document, append(schema, "const")...).(string); has {
		return []string{only}
	}
	all, _ := at(g.c.document, append(schema, "enum")...).([]any)
	for _, code := range all {
		codes = append(codes, fmt.Sprint(code))
	}
	return codes
}

// codesOf returns the codes that an answer may have.
func (g *gaps) codesOf(content []string) []string {
	return g.listed(slices.Concat(content, []string{"schema", "properties", "errors", "items", "properties", "code"}))
}

// answersWith returns the statuses of the answers that may have a code.
func (g *gaps) answersWith(code string) (statuses []string) {
	for _, path := range g.names("paths") {
		for _, method := range g.names("paths", path) {
			for _, status := range g.names("paths", path, method, "responses") {
				content := append(g.under([]string{"paths", path, method, "responses", status}), "content", "application/json")
				if status >= "400" && slices.Contains(g.codesOf(content), code) {
					statuses = append(statuses, status)
				}
			}
		}
	}
	return statuses
}

// refusal checks one error answer: it lists its codes, and has an example of each under
// the code's name.
func (g *gaps) refusal(content []string, status string) {
	codes := g.codesOf(content)
	if len(codes) == 0 {
		g.add(content, `lists no codes: narrow "code" of Errors, as its neighbours do`)
	}
	for _, code := range codes {
		if meaning, _ := at(g.c.document, append(errorCode, "x-enumDescriptions", code)...).(string); !strings.HasPrefix(meaning, status+". ") {
			g.add(content, `lists %s, whose description in ErrorCode does not begin with "%s. "`, code, status)
		}
	}
	examples := g.examples(content)
	if diff := cmp.Diff(slices.Sorted(slices.Values(codes)), slices.Sorted(maps.Keys(examples))); diff != "" {
		g.add(content, "has other examples than codes (-codes +examples):\n%s", diff)
	}
	for name, value := range examples {
		errors, _ := at(value, "errors").([]any)
		if len(errors) != 1 || at(errors[0], "code") != name {
			g.add(content, "has another code in the example %s", name)
		}
	}
}

var webhookClaims = []string{"components", "schemas", "WebhookClaims"}

// webhooks checks the union of the claims and each event's body.
func (g *gaps) webhooks() {
	mapped := g.names(append(webhookClaims, "discriminator", "mapping")...)
	if diff := cmp.Diff(g.names("webhooks"), mapped); diff != "" {
		g.add(webhookClaims, "maps other events than there are (-webhooks +discriminator):\n%s", diff)
	}
	var union, members []string
	alternatives, _ := at(g.c.document, append(webhookClaims, "oneOf")...).([]any)
	for _, one := range alternatives {
		union = append(union, fmt.Sprint(at(one, "$ref")))
	}
	for _, event := range mapped {
		members = append(members, fmt.Sprint(at(g.c.document, append(webhookClaims, "discriminator", "mapping", event)...)))
	}
	slices.Sort(union)
	slices.Sort(members)
	if diff := cmp.Diff(union, members); diff != "" {
		g.add(webhookClaims, "maps to other schemas than it has (-oneOf +discriminator):\n%s", diff)
	}
	for _, event := range g.names("webhooks") {
		if err := g.webhook(event); err != nil {
			g.add([]string{"webhooks", event}, "%v", err)
		}
	}
}

// webhook decodes an event's example: its claims are the example of their schema.
func (g *gaps) webhook(event string) error {
	content := slices.Concat(g.under([]string{"webhooks", event, "post", "requestBody"}), []string{"content", "application/jwt"})
	token, has := at(g.c.document, append(content, "example")...).(string)
	parts := strings.Split(token, ".")
	if !has || len(parts) != 3 {
		return fmt.Errorf(`has no JWT for an "example" of its body`)
	}
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return fmt.Errorf("has an example that is no JWT: %w", err)
	}
	if err := g.c.CheckWebhook(event, claims); err != nil {
		return fmt.Errorf("refuses the claims of its own example: %w", err)
	}
	schema, _ := at(g.c.document, append(webhookClaims, "discriminator", "mapping", event)...).(string)
	shown, _ := at(g.c.document, append(strings.Split(strings.TrimPrefix(schema, "#/"), "/"), "examples")...).([]any)
	said, err := decode(claims)
	if err != nil {
		return err
	}
	if len(shown) != 1 || !cmp.Equal(shown[0], any(said)) {
		return fmt.Errorf(`says in its example another thing than "examples" of %s`, schema)
	}
	return nil
}
