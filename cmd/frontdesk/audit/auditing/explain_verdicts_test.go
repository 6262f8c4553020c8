package auditing_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/patient"
)

// verdictOn is a kind of caller in the last practice of the town, where all
// authorisations are current, and the rule that refuses it an endpoint.
type verdictOn struct {
	kind       string
	integrator bearertest.Application
	tenant     string
	username   string
	patient    patient.ID
	rule       func(access.Endpoint) access.Rule
}

// verdicts has every kind of caller: Dr Lee may see all records, Kim only the twin's, Sam has
// authorised only for the twin, Robin has left.
func (w *town) verdicts(t *testing.T) []verdictOn {
	t.Helper()
	tenant := townTenants[len(townTenants)-1]
	always := func(rule access.Rule) func(access.Endpoint) access.Rule {
		return func(access.Endpoint) access.Rule { return rule }
	}
	scoped := func(rule access.Rule) func(access.Endpoint) access.Rule {
		return func(e access.Endpoint) access.Rule {
			if e.NamesPatient {
				return rule
			}
			return access.RuleAuthorised
		}
	}
	restricted := func(e access.Endpoint) access.Rule {
		if e.ShowsRecord {
			return access.RuleRecord
		}
		return access.RuleNone
	}
	ungranted := func(e access.Endpoint) access.Rule {
		if e.WithoutGrant {
			return access.RuleNone
		}
		return access.RuleGranted
	}
	app, closed := w.applications[0], w.practices[tenant].patients[1]
	stranger := w.register(t, bearertest.Key())
	must(t, w.Desk.EnableApplication(t.Context(), commands.EnableApplication{Tenant: tenant, Application: stranger.ID}))
	return []verdictOn{
		{"an application", app, tenant, "", closed, always(access.RuleNone)},
		{"an application that nothing is granted to", stranger, tenant, "", townTwin, ungranted},
		{"an application in a practice that there is not", app, "nobody", "", townTwin, always(access.RuleEnabled)},
		{"a user with a standing authorisation", app, tenant, "dr.lee", closed, always(access.RuleNone)},
		{"a user scoped to this patient", app, tenant, "sam", townTwin, scoped(access.RuleNone)},
		{"a user scoped to another patient", app, tenant, "sam", closed, scoped(access.RuleScope)},
		{"a user who has left", app, tenant, "robin", townTwin, always(access.RuleAuthorised)},
		{"a user who never was", app, tenant, "nobody", townTwin, always(access.RuleAuthorised)},
		{"a user to whom the record is closed", app, tenant, "kim", closed, restricted},
	}
}

// Every endpoint is called by every kind of caller, and every call is explained
// later from the log: both give the same verdict, by the same rule.
func TestExplainedVerdictsEqualLiveOnes(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	kinds := w.verdicts(t)
	want := map[uuid.UUID]access.Rule{}
	names := map[uuid.UUID]string{}
	for _, e := range access.Endpoints() {
		for _, k := range kinds {
			w.callAs(t, e, k)
			id := w.made[len(w.made)-1].id
			want[id], names[id] = w.ruleFor(e, k), k.kind+" calls "+string(e.Name)
		}
	}
	w.wantRecorded(t)
	for _, m := range w.made {
		question, call, err := w.auditor.Auditor.QuestionOf(t.Context(), m.id)
		must(t, err)
		verdict, err := w.auditor.Auditor.Explain(t.Context(), question, nil)
		must(t, err)
		if verdict.Rule != want[m.id] || verdict.Allowed != (want[m.id] == access.RuleNone) {
			t.Errorf("%s: explained as refused by %s, want %s", names[m.id], verdict.Rule, want[m.id])
		}
		if !agrees(verdict, m) {
			t.Errorf("%s: answered otherwise than explained:\n%s", names[m.id], facts(call, m, verdict))
		}
	}
}

// ruleFor is the kind's rule, or the grant that the town withholds.
func (w *town) ruleFor(e access.Endpoint, k verdictOn) access.Rule {
	mode := application.ApplicationRestricted
	if k.username != "" {
		mode = application.UserRestricted
	}
	switch {
	case !e.AboutItself:
	case e.WhereEnabled && k.rule(e) == access.RuleEnabled:
		return access.RuleEnabled
	case mode == application.UserRestricted:
		return access.RuleGranted
	default:
		return access.RuleNone
	}
	for _, grant := range withheld {
		if k.rule(e) != access.RuleEnabled && grant == (application.Grant{Endpoint: e.Name, Mode: mode}) {
			return access.RuleGranted
		}
	}
	return k.rule(e)
}

// callAs calls an endpoint with all that any of them reads, by POST or, where
// that is not how it is called, by GET.
func (w *town) callAs(t *testing.T, e access.Endpoint, k verdictOn) {
	t.Helper()
	clinic := w.practices[townTenants[len(townTenants)-1]]
	m := madeCall{sound: true, username: k.username}
	for _, method := range []string{http.MethodPost, http.MethodGet} {
		address := w.URL() + "/transactional-api/" + string(e.Name) + "?patientId=" + k.patient.String()
		body := fmt.Sprintf(goodBody, k.patient, clinic.visit, clinic.site)
		r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
		must(t, err)
		var edits []bearertest.Edit
		if k.username != "" {
			edits = append(edits, bearertest.As(k.username))
		}
		r.Host = k.tenant + ".frontdesk.test"
		r.Header.Set("Authorization", "Bearer "+k.integrator.Token(w.clock.Now(), edits...))
		response, err := w.client.Do(r)
		must(t, err)
		if response.StatusCode != http.StatusMethodNotAllowed {
			must(t, w.note(m, response))
			must(t, response.Body.Close())
			return
		}
		must(t, response.Body.Close())
	}
	t.Fatalf("%s is called by neither POST nor GET", e.Name)
}
