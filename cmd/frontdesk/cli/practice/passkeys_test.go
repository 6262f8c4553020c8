package practice_test

import (
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

// An operator sets the rule of a new practice, and weakens it no more once someone has a
// password, also if they take it away.
func TestOperatorSetsRuleOfNewPractice_D152(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	run := func(in, line string) clitest.Outcome {
		t.Helper()
		return clitest.FrontdeskWith(t, in, append(strings.Fields(line), "--tenant=elm", "--database-url", db.URL)...)
	}
	run("", "practice register --name=Elm").WantSuccess(t)
	lists := func(want string) {
		t.Helper()
		if o := run("", "practice list-passkey-roles --json"); o.Status != 0 || o.Out != want {
			t.Errorf("got %s%s, want %s", o.Out, o.Err, want)
		}
	}
	lists(`{"role":"receptionist","needsPasskey":false}
{"role":"clinician","needsPasskey":false}
{"role":"manager","needsPasskey":true}
{"role":"privacy-officer","needsPasskey":true}
`)
	run("", "practice set-passkey-rule --none").WantSuccess(t)
	run("", "practice set-passkey-rule --role=clinician --role=manager").WantSuccess(t)
	run("walnut soup boat\n", "staff register --username=sam --name=Sam --email=sam@elm.example --role=manager --password-stdin").WantSuccess(t)
	run("", "practice set-passkey-rule --none").WantFailure(t, 1, "Have a manager with a passkey")
	run("", "practice set-passkey-rule --none --as=sam").WantFailure(t, 1, "Have a manager with a passkey")
	run("", "staff deactivate --username=sam").WantSuccess(t)
	run("", "practice set-passkey-rule --none").WantFailure(t, 1, "Have a manager with a passkey")
	run("", "practice set-passkey-rule").WantFailure(t, 2, "--role=ROLE or --none")
	run("", "practice set-passkey-rule --role=owner").WantFailure(t, 1, "Choose roles from")
	run("", "practice set-passkey-rule --role=clinician --role=manager --role=receptionist").WantSuccess(t)
	lists(`{"role":"receptionist","needsPasskey":true}
{"role":"clinician","needsPasskey":true}
{"role":"manager","needsPasskey":true}
{"role":"privacy-officer","needsPasskey":false}
`)
}

func TestPasskeyRolesAreDeclared_D152(t *testing.T) {
	t.Parallel()
	a := newApplied(t)
	a.want(elmRegistered+"passkeyRoles: [receptionist, manager]", "elm", "practice.registered.v1", "staff.passkey-rule-set.v1")
	a.want(elmRegistered+"passkeyRoles: [manager, receptionist]", "elm")
	a.want(elmRegistered, "elm")
	a.run(elmRegistered+"passkeyRoles: [owner]").WantFailure(t, 1, "passkeyRoles: Choose roles from")
	a.want(elmRegistered+"passkeyRoles: []", "elm", "staff.passkey-rule-set.v1")
}
