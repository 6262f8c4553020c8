package practice_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

const exported = "0190c7a2-0000-7000-8000-0000000000a1"

// export returns the documents of the example's practice and application.
func (a *applied) export(args ...string) string {
	a.t.Helper()
	var documents string
	for _, command := range []string{"application export --application=" + exported, "practice export --tenant=elm-street " + strings.Join(args, " ")} {
		o := clitest.Frontdesk(a.t, append(strings.Fields(command), "--database-url", a.db.URL)...)
		o.WantSuccess(a.t)
		documents += o.Out
	}
	return documents
}

// An exported practice matches itself, and makes the same practice in an empty database.
func TestExportsMatchThePractice_D180(t *testing.T) {
	t.Parallel()
	a := newApplied(t)
	a.changes(clitest.ReadFile(t, example(t)))
	a.changes("kind: application\napplication: " + exported + "\nwebhooks: [{event: consultation.started, url: 'https://referrals.example/hook?key=1'}]\npatientScoped: true")
	a.changes(fmt.Sprintf(`kind: practice
tenant: elm-street
requestTypes: [{type: admin, switchedOff: true, hours: []}]
closures: [{from: %d-06-01T00:00:00Z}]
passkeyRoles: []
staff: [{username: leaver, name: Lee Ver, email: leaver@elm.example, roles: []}]`, nextYear))
	a.changes("kind: practice\ntenant: elm-street\nstaff: [{username: leaver, active: false}]")
	for _, twice := range []string{"Branch", "Elm Street"} {
		clitest.Frontdesk(t, "site", "add", "--tenant=elm-street", "--name="+twice, "--database-url", a.db.URL).WantSuccess(t)
	}

	documents := a.export()
	if o := a.run(documents, "--dry-run", "--exit-code"); o.Status != 0 || o.Out != "nothing to change\n" {
		t.Errorf("the practice differs from\n%s\nby %s%s", documents, o.Out, o.Err)
	}
	for _, hidden := range []string{"leaver", "Sam Taylor", "sam@elm.example"} {
		if strings.Contains(documents, hidden) {
			t.Errorf("the export has %s:\n%s", hidden, documents)
		}
	}

	clitest.Frontdesk(t, "site", "rename", "--tenant=elm-street", "--site", siteNamed(t, documents), "--name=Annexe", "--database-url", a.db.URL).WantSuccess(t)
	documents = a.export("--show-personal")
	other := newApplied(t)
	other.changes(documents)
	if again := other.export("--show-personal"); again != documents {
		t.Errorf("another database has\n%s\nwant\n%s", again, documents)
	}
	var read string
	clitest.Must(t, a.db.AdminPool(t).QueryRow(t.Context(), `SELECT string_agg(data::json->>'command' || ' ' || (data::json->>'count'), ', ') FROM events WHERE name = 'audit.queried.v1'`).Scan(&read))
	if read != "export-practice 2" {
		t.Errorf("names of two members of staff were exported, and the log has %s", read)
	}

	// A closure that has begun begins in another database when it is applied there.
	clitest.Frontdesk(t, "practice", "close", "--tenant=elm-street", "--until", clock.System().Add(time.Hour).UTC().Format(time.RFC3339Nano), "--database-url", a.db.URL).WantSuccess(t)
	if o := a.run(a.export(), "--dry-run", "--exit-code"); o.Status != 0 {
		t.Errorf("while it is closed, the practice differs by %s%s", o.Out, o.Err)
	}
	clitest.Frontdesk(t, "practice", "export", "--tenant=ash", "--database-url", a.db.URL).WantFailure(t, 1, "unknown-practice")
	clitest.Frontdesk(t, "application", "export", "--application=0190c7a2-0000-7000-8000-0000000000a9", "--database-url", a.db.URL).WantFailure(t, 1, "unknown-application")
}

// siteNamed returns the identifier of the first site that has one in a document.
func siteNamed(t *testing.T, documents string) string {
	t.Helper()
	_, after, found := strings.Cut(documents, "site: ")
	if !found {
		t.Fatalf("two sites have one name, and neither has an identifier:\n%s", documents)
	}
	id, _, _ := strings.Cut(after, "\n")
	return id
}

// A practice that was changed elsewhere has drifted from its file.
func TestDryRunFindsDrift_D180(t *testing.T) {
	t.Parallel()
	a := newApplied(t)
	a.run(elmRegistered, "--dry-run", "--exit-code").WantFailure(t, 3)
	a.changes(elmRegistered + "requestTypes: [{type: admin, switchedOff: true}]")
	if o := a.run(elmRegistered, "--dry-run", "--exit-code"); o.Status != 0 {
		t.Errorf("nothing has changed, and the status is %d", o.Status)
	}
	clitest.Frontdesk(t, "request-type", "switch-on", "--tenant=elm", "--request-type=admin", "--database-url", a.db.URL).WantSuccess(t)
	const declared = elmRegistered + "requestTypes: [{type: admin, switchedOff: true}]"
	for _, form := range []string{"--exit-code", "--exit-code --json"} {
		o := a.run(declared, append(strings.Fields(form), "--dry-run")...)
		if o.Status != 3 || o.Err != "" || !strings.Contains(o.Out, "practice.request-type-switched-off.v1") {
			t.Errorf("%s: status %d\n%s%s", form, o.Status, o.Out, o.Err)
		}
	}
	a.run(declared, "--dry-run").WantSuccess(t)
	a.run("kind: practise", "--dry-run", "--exit-code").WantFailure(t, 1)
	a.run(declared, "--exit-code").WantFailure(t, 1, "--exit-code needs --dry-run")
}
