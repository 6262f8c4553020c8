package practice_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

// Everything that an application and a practice need of each other, typed; and
// typed again (§5.6, D14, D17).
func TestApplicationIsOnboardedByCommandLine_5_6(t *testing.T) {
	t.Parallel()
	o := onboarding{url: postgrestest.New(t).URL, made: map[string]string{}}
	const granted, revoked = "user-authorisation.granted.v1", "user-authorisation.revoked.v1"
	for _, line := range []struct {
		args   string
		events []string // that it appends, and not when typed again
		again  int      // exit status of typing it again
	}{
		{"practice register --tenant=elm --name=Elm", []string{"practice.registered.v1"}, 1},
		{"application register --name=Referrals --jwks-url=https://app.example/jwks --callback=https://app.example/a --callback=app:/b --patient-scoped",
			[]string{"application.registered.v1", "application.callback-added.v1", "application.callback-added.v1", "application.patient-scoped-marked.v1"}, -1},
		{"application set-jwks-url --application=<applicationId> --jwks-url=https://app.example/new", []string{"application.jwks-url-set.v1"}, 0},
		{"application add-callback --application=<applicationId> --callback=app:/c", []string{"application.callback-added.v1"}, 0},
		{"application remove-callback --application=<applicationId> --callback=app:/c", []string{"application.callback-removed.v1"}, 0},
		{"application unmark-patient-scoped --application=<applicationId>", []string{"application.patient-scoped-unmarked.v1"}, 0},
		{"application mark-patient-scoped --application=<applicationId>", []string{"application.patient-scoped-marked.v1"}, 0},
		{"application grant --application=<applicationId> --endpoint=create-note --mode=user-restricted", []string{"application.endpoint-granted.v1"}, 0},
		{"application revoke --application=<applicationId> --endpoint=create-note --mode=user-restricted", []string{"application.endpoint-revoked.v1"}, 0},
		{"application enable --tenant=elm --application=<applicationId>", []string{"practice.application-enabled.v1"}, 0},
		{"application reread-key-set --application=<applicationId>", []string{"application.key-set-reread.v1"}, 1},
		{"webhook set --application=<applicationId> --event=record.opened --url=https://app.example/hook", []string{"application.webhook-set.v1"}, 0},
		{"webhook test --tenant=elm --application=<applicationId> --event=record.opened", []string{"application.webhook-test-requested.v1"}, 1},
		{"application disable --tenant=elm --application=<applicationId>", []string{"practice.application-disabled.v1"}, 0},
		{"staff register --tenant=elm --username=dr.lee --name=Lee --email=lee@elm.example", []string{"staff.registered.v1"}, 1},
		{"patient register --tenant=elm --name=Ann --patient=0190c7a2-0000-7000-8000-0000000000a1", []string{"patient.registered.v1"}, 1},
		{"patient change-details --tenant=elm --patient=<patientId> --name=Anna --birth-date=", []string{"patient.details-changed.v1"}, -1},
		{"patient restrict-record --tenant=elm --patient=<patientId> --username=dr.lee", []string{"patient.record-restricted.v1"}, 0},
		{"patient restrict-record --tenant=elm --patient=<patientId>", []string{"patient.restriction-lifted.v1"}, 0},
		{"authorisation grant --tenant=elm --application=<applicationId> --username=dr.lee", []string{granted}, -1},
		{"authorisation grant-for-patient --tenant=elm --application=<applicationId> --username=dr.lee --patient=<patientId>", []string{granted}, -1},
		{"authorisation revoke --tenant=elm --application=<applicationId> --username=dr.lee", []string{revoked}, 1},
		{"authorisation revoke --tenant=elm --application=<applicationId> --username=dr.lee --patient=<patientId>", []string{revoked}, 1},
		{"staff set-roles --tenant=elm --username=dr.lee --role=manager --role=clinician", []string{"staff.roles-set.v1"}, 0},
		{"staff set-roles --tenant=elm --username=dr.lee", []string{"staff.roles-set.v1"}, 0},
		{"staff deactivate --tenant=elm --username=dr.lee", []string{"staff.deactivated.v1"}, 0},
		{"staff reactivate --tenant=elm --username=dr.lee", []string{"staff.reactivated.v1", "staff.invited.v1"}, 1},
		{"staff reset --tenant=elm --username=dr.lee", []string{"staff.reset.v1"}, -1},
		{"staff register --tenant=elm --username=kim --name=Kim --email=kim@elm.example --role=manager --role=clinician", []string{"staff.registered.v1", "staff.roles-set.v1"}, 1},
		{"staff invite --tenant=elm --username=pat --name=Pat --email=pat@elm.example --role=receptionist",
			[]string{"staff.registered.v1", "staff.roles-set.v1", "staff.invited.v1"}, 1},
		{"staff invite-again --tenant=elm --username=pat", []string{"staff.invited.v1"}, -1},
	} {
		o.wantAppended(t, line.args, line.events)
		if line.again >= 0 {
			o.wantNothing(t, line.args, line.again)
		}
	}
}

// onboarding is a database and the things made in it, by the names of the
// contract.
type onboarding struct {
	url  string
	made map[string]string
}

func (o onboarding) typed(t *testing.T, line string) (clitest.Outcome, []string) {
	t.Helper()
	for name, id := range o.made {
		line = strings.ReplaceAll(line, "<"+name+">", id)
	}
	run := clitest.Frontdesk(t, append(strings.Fields(line), "--json", "--database-url", o.url)...)
	var object struct{ Events []struct{ Name string } }
	ids := map[string]any{}
	if run.Status == 0 {
		if err := json.Unmarshal([]byte(run.Out), &object); err != nil {
			t.Errorf("%s: %v: %s", line, err, run.Out)
		}
		_ = json.Unmarshal([]byte(run.Out), &ids)
	}
	for name, id := range ids {
		if text, ok := id.(string); ok {
			o.made[name] = text
		}
	}
	var events []string
	for _, e := range object.Events {
		events = append(events, e.Name)
	}
	return run, events
}

func (o onboarding) wantAppended(t *testing.T, line string, want []string) {
	t.Helper()
	if run, events := o.typed(t, line); run.Status != 0 || !slices.Equal(events, want) {
		t.Errorf("%s: exit status %d, events %v, want %v: %s", line, run.Status, events, want, run.Err)
	}
}

// wantNothing fails unless the repeated line ends with the status and changes nothing.
func (o onboarding) wantNothing(t *testing.T, line string, status int) {
	t.Helper()
	run, events := o.typed(t, line)
	if status == 0 && (run.Status != 0 || len(events) > 0) {
		t.Errorf("%s again: exit status %d, events %v: %s", line, run.Status, events, run.Err)
	}
	if status == 1 {
		run.WantFailure(t, 1)
	}
}
