package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/httpapi"
	"frontdesk/domain/access"
	"frontdesk/domain/fault"
)

// A refusal's header names its rule. Refusals with one sentence have one rule, so the header
// tells a caller nothing that the body does not.
func TestRuleFollowsFromSentence_D146(t *testing.T) {
	t.Parallel()
	refusals := map[string]error{}
	add := func(err error, sentence string) {
		if _, ok := refusals[sentence]; !ok {
			refusals[sentence] = err
		}
	}
	for _, r := range bearer.Refusals() {
		add(r, r.Fault.Detail)
	}
	for _, r := range access.Refusals() {
		add(r, r.Fault.Detail)
	}
	add(&bearer.Refusal{Reason: "unknown-application", Fault: access.ErrUnknownApplication}, "an unknown application")
	rules := map[string]string{}
	for sentence, err := range refusals {
		a := newAsked(t, asApplicationOf(1), func(api *httpapi.API) { api.Recognise = refuses(err) })
		answer := a.ask(http.MethodGet, "ping", "")
		rule, body := answer.Header().Get("Frontdesk-Rule"), answer.Body.String()
		if was, ok := rules[body]; rule == "" || ok && was != rule {
			t.Errorf("%s: the rule is %q, and was %q for the same answer", sentence, rule, was)
		}
		rules[body] = rule
	}
	if len(rules) != len(refusals)-1 { // both of an unknown application have one body
		t.Errorf("%d refusals have %d bodies", len(refusals), len(rules))
	}
	unknown := newAsked(t, asApplicationOf(1), func(api *httpapi.API) {
		api.Recognise = refuses(&bearer.Refusal{Reason: "unknown-application", Fault: access.ErrUnknownApplication})
	})
	if got := unknown.ask(http.MethodGet, "ping", "").Header().Get("Frontdesk-Rule"); got != "application-registered" {
		t.Errorf("an unknown application is refused by %q", got)
	}
}

func TestRuleOfOtherRefusalsIsTheirCode_D146(t *testing.T) {
	t.Parallel()
	a := newAsked(t, asApplicationOf(1), unchanged)
	for _, c := range []struct{ method, path, body, want string }{
		{"POST", "create-note", `{"patientId":"` + annID + `"}`, "empty-note"},
		{"POST", "create-note", `{`, "invalid-request-body"},
		{"PUT", "create-note", ``, "method-not-allowed"},
		{"GET", "nothing", ``, "not-found"},
		{"GET", "ping", ``, ""},
	} {
		if got := a.ask(c.method, c.path, c.body).Header().Get("Frontdesk-Rule"); got != c.want {
			t.Errorf("%s %s %s: the rule is %q, want %q", c.method, c.path, c.body, got, c.want)
		}
	}
	away := newAsked(t, asApplicationOf(1), func(api *httpapi.API) {
		api.Recognise = refuses(fault.New(fault.Unavailable, "unavailable", "Try again."))
	})
	if got := away.ask(http.MethodGet, "ping", "").Header(); got.Get("Frontdesk-Rule") != "unavailable" || !strings.Contains(got.Get("Retry-After"), "1") {
		t.Errorf("an unavailable service answers with %v", got)
	}
}
