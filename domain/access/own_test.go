package access_test

import (
	"errors"
	"slices"
	"testing"

	"frontdesk/domain/access"
)

// The application sees the rule that refused, for every endpoint and every kind of
// caller.
func TestRuleOfFindsRefusingRule_D95(t *testing.T) {
	t.Parallel()
	seen := map[access.Rule]bool{}
	for name, k := range kinds() {
		for _, e := range access.Endpoints() {
			c, err := k.caller(e), access.Judge(k.caller(e), &k.named)
			refusal, refused := errors.AsType[*access.Refusal](err)
			if !refused {
				continue
			}
			got := access.RuleOf(refusal.Fault.Code, refusal.Fault.Detail, e.Name, c.Mode)
			if seen[got] = true; got != refusal.Rule {
				t.Errorf("%s calls %s: the rule is %q, want %s", name, e.Name, got, refusal.Rule)
			}
		}
	}
	for _, rule := range access.Rules() {
		if rule != access.RuleStaff && !seen[rule] { // which refuses nothing
			t.Errorf("no call was refused by %s", rule)
		}
	}
	for code, reason := range map[string]string{"": "", "empty-note": "note must be given and must not be blank.", "unauthorized": "something else"} {
		if got := access.RuleOf(code, reason, access.CreateNote, "user-restricted"); got != "" {
			t.Errorf("%s %q has the rule %s", code, reason, got)
		}
	}
}

func TestEndpointsAboutApplicationItself_D95(t *testing.T) {
	t.Parallel()
	names := access.AboutItself()
	if slices.Contains(names, access.Ping) || !slices.Contains(names, access.OwnCalls) || !slices.Contains(names, access.OwnDeliveries) {
		t.Errorf("they are %v", names)
	}
}
