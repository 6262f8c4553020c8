package practice_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/commands"
)

// The example of the operators' page, which also lists the parts of a document.
func TestADeclaredPracticeIsMade_D107(t *testing.T) {
	t.Parallel()
	a, file := newApplied(t), example(t)
	run := func(args ...string) clitest.Outcome {
		o := clitest.Frontdesk(t, append([]string{"apply", "-f", file, "--database-url", a.db.URL}, args...)...)
		o.WantSuccess(t)
		return o
	}
	would := run("--links", a.links, "--dry-run")
	if _, err := os.Stat(a.links); !os.IsNotExist(err) || a.events() != 0 {
		t.Errorf("a dry run has stored %d events, or made a file: %v", a.events(), err)
	}
	for _, line := range []string{"practices.yaml:21:1: practice.registered.v1", `practices.yaml:29:12: practice.opening-hours-set.v1 {"requestType":"medical"`, "would change 2 of 2 documents by 19 events"} {
		if !strings.Contains(would.Out, line) {
			t.Errorf("the dry run does not say %q:\n%s", line, would.Out)
		}
	}
	if strings.Contains(would.Out, "Sam") {
		t.Errorf("the dry run shows personal data:\n%s", would.Out)
	}
	if o := run("--links", a.links, "--auth-url=https://auth.example"); !strings.Contains(o.Out, "changed 2 of 2 documents by 19 events\n") || a.events() != 19 {
		t.Errorf("%d events, and it says\n%s", a.events(), o.Out)
	}
	if o := run("--links", a.links); o.Out != "nothing to change\n" || a.events() != 19 {
		t.Errorf("applied again, there are %d events, and it says\n%s", a.events(), o.Out)
	}
	log := clitest.Frontdesk(t, "audit", "log", "--json", "--database-url", a.db.URL)
	for n, line := range strings.Split(strings.TrimSpace(log.Out), "\n") {
		if !strings.Contains(line, `"kind":"operator"`) || n == 18 && !strings.Contains(line, "practice.application-enabled.v1") {
			t.Errorf("event %d of the log is %s", n+1, line)
		}
	}
	wantUsable(t, a)
}

// wantUsable opens an account by a link that was handed out. After that, no one is invited
// again.
func wantUsable(t *testing.T, a *applied) {
	t.Helper()
	links := a.given()
	if info, err := os.Stat(a.links); err != nil || info.Mode().Perm() != 0o600 || len(links) != 2 {
		t.Fatalf("the file of %d links has mode %v, error %v", len(links), info.Mode(), err)
	}
	secret, found := strings.CutPrefix(links[0].Link, "https://auth.example/elm-street/staff/link/")
	if !found || links[0].Username != "sam.taylor" {
		t.Fatalf("the first link is %+v", links[0])
	}
	engine, err := app.Open(t.Context(), app.Config{DatabaseURL: a.db.URL, MasterKeys: sealing.NewRing(clitest.MasterKey)})
	clitest.Must(t, err)
	defer engine.Close()
	_, err = engine.Desk.AcceptLink(t.Context(), commands.AcceptLink{Tenant: "elm-street", Secret: secret, Password: "coffee tin fish"})
	clitest.Must(t, err)
	if again := a.changes(clitest.ReadFile(t, example(t)), "--links", a.links); len(again["elm-street"]) > 0 || len(a.given()) != 2 {
		t.Errorf("after somebody has chosen a password, %v happened", again)
	}
}

// Parts that a document does not name stay as they are, and it names those that go.
func TestApplyKeepsUnnamedParts_D107(t *testing.T) {
	t.Parallel()
	a := newApplied(t)
	a.changes(clitest.ReadFile(t, example(t)))
	const app, practice = "kind: application\napplication: 0190c7a2-0000-7000-8000-0000000000a1\n", "kind: practice\ntenant: elm-street\n"
	const id = "0190c7a2-0000-7000-8000-0000000000a1"
	a.want(app, id)
	a.want(practice, "elm-street")
	a.want(app+"patientScoped: true", id, "application.patient-scoped-marked.v1")
	a.want(app+"jwksUrl: https://referrals.example/new", id, "application.jwks-url-set.v1")
	a.want(app+"callbacks: [{url: 'app:/b'}, {url: https://referrals.example/approved, remove: true}]", id, "application.callback-added.v1", "application.callback-removed.v1")
	a.want(app+"grants: [{endpoint: create-note, mode: user-restricted}, {endpoint: create-patient-request, mode: user-restricted, remove: true}]", id,
		"application.endpoint-granted.v1", "application.endpoint-revoked.v1")
	a.want(app+"webhooks: [{event: consultation.started, url: https://referrals.example/hook}, {event: record.opened, remove: true}]", id,
		"application.webhook-set.v1", "application.webhook-removed.v1")
	a.want(practice+"requestTypes: [{type: admin, switchedOff: true}]", "elm-street", "practice.request-type-switched-off.v1")
	a.want(practice+"requestTypes: [{type: admin, switchedOff: false}, {type: medical, hours: []}]", "elm-street", "practice.request-type-switched-on.v1", "practice.opening-hours-set.v1")
	a.want(fmt.Sprintf(practice+"closures: [{from: %[1]d-12-24T18:00:00Z, until: %[1]d-12-29T08:00:00Z, remove: true}]", nextYear), "elm-street", "practice.reopened.v1")
	a.want(practice+"closures: [{from: 2020-12-24T18:00:00Z, until: 2020-12-29T08:00:00Z}]", "elm-street")
	a.want(practice+"sites: [{name: Branch, rooms: [{name: Room 1}]}, {name: Elm Street, rooms: [{name: Room 3}]}]", "elm-street", "site.added.v1", "site.room-added.v1", "site.room-added.v1")
	a.want(practice+"applications: [{application: "+id+", enabled: false}]", "elm-street", "practice.application-disabled.v1")
	a.want(practice+"applications: [{application: "+id+"}]", "elm-street", "practice.application-enabled.v1")
	a.want(practice+"name: Elm Street Surgery\ntimeZone: Europe/London", "elm-street")
}

// Nothing is added a second time that people have given another name meanwhile.
func TestASiteThatWasRenamedGetsItsNameBack_D107(t *testing.T) {
	t.Parallel()
	a := newApplied(t)
	declared := elmRegistered + "sites:\n- name: Main\n  rooms:\n  - name: Room 1\n"
	a.want(declared, "elm", "practice.registered.v1", "site.added.v1", "site.room-added.v1")
	var id, room string
	clitest.Must(t, a.db.AdminPool(t).QueryRow(t.Context(), `SELECT site::text, room::text FROM rooms`).Scan(&id, &room))
	a.want(elmRegistered+"sites: [{site: "+id+", name: Elm House, rooms: [{room: "+room+", name: Nurse}]}]", "elm", "site.renamed.v1", "site.room-renamed.v1")
	a.want(declared, "elm", "site.renamed.v1", "site.room-renamed.v1")
	clitest.Frontdesk(t, "site", "add", "--tenant=elm", "--name=Main", "--database-url", a.db.URL).WantSuccess(t)
	a.run(declared).WantFailure(t, 1, "standard input:5:9: sites[0].name: ", `there are 2 with the name "Main"`)
	a.run(elmRegistered+"sites: [{site: 0190c7a2-0000-7000-8000-0000000000a9, name: X}]").WantFailure(t, 1, "sites[0].name: there is none with this identifier here")
}

func TestStaffAreInvitedWhereTheirLinksAreKept_D107(t *testing.T) {
	t.Parallel()
	a := newApplied(t)
	declared := elmRegistered + "staff: [{username: sam, name: Sam, email: sam@elm.example, roles: [clinician, manager]}]"
	links := []string{"--links", a.links}
	a.want(declared, "elm", "practice.registered.v1", "staff.registered.v1", "staff.roles-set.v1")
	a.wantWith(links, declared, "elm", "staff.invited.v1")
	const practice = "kind: practice\ntenant: elm\nstaff: "
	a.want(practice+"[{username: sam}]", "elm")
	a.want(practice+"[{username: sam, roles: [manager]}]", "elm", "staff.roles-set.v1")
	a.want(practice+"[{username: sam, active: false, roles: [clinician]}]", "elm", "staff.deactivated.v1")
	if o := a.run(declared, links...); o.Out != "nothing to change\n" || !strings.Contains(o.Err, "standard input:4:20: staff[0].username: has left, and stays as they are") {
		t.Errorf("who has left is named: %s%s", o.Out, o.Err)
	}
	a.run(practice+"[{username: sam, active: true}]").WantFailure(t, 1, "staff[0].active", "--links")
	a.wantWith(links, practice+"[{username: sam, active: true, roles: [clinician]}]", "elm", "staff.reactivated.v1", "staff.invited.v1", "staff.roles-set.v1")
	if given := a.given(); len(given) != 2 || given[1].Username != "sam" {
		t.Errorf("the links are %+v", given)
	}
	clitest.Must(t, os.Chmod(a.links, 0o644))
	a.run(declared, links...).WantFailure(t, 1, "chmod 600")
	a.run(declared, "--links=-").WantFailure(t, 1, "--links is a file")
	a.run(declared, "--links=/dev/null").WantFailure(t, 1, "--links is a file")
}

// A run that is killed while it writes a link leaves a line without an end.
func TestLinesOfLinksAreWholeAfterAKill_D107(t *testing.T) {
	t.Parallel()
	a := newApplied(t)
	const whole = `{"tenantId":"oak"}`
	for username, left := range map[string]string{"sam": whole + "\n" + `{"tenantId":"elm","user`, "zoe": whole} {
		clitest.Must(t, os.WriteFile(a.links, []byte(left), 0o600))
		a.run(elmRegistered+"staff: [{username: "+username+", name: "+username+", email: sam@elm.example}]", "--links", a.links).WantSuccess(t)
		text, err := os.ReadFile(a.links)
		clitest.Must(t, err)
		lines := slices.Collect(strings.Lines(string(text)))
		if len(lines) != 2 || lines[0] != whole+"\n" || !json.Valid([]byte(lines[1])) {
			t.Errorf("the file has the lines %q", lines)
		}
	}
	clitest.Must(t, os.WriteFile(a.links, []byte("my notes"), 0o600))
	a.run(elmRegistered, "--links", a.links).WantFailure(t, 1, "the file of --links ends with something that is no link: name another")
}

const (
	newApplication = "kind: application\napplication: 0190c7a2-0000-7000-8000-0000000000a2\nname: A\n"
	goodKeys       = "jwksUrl: https://a.example/keys\n"

	// firstGood is a document before the refused one that would change something.
	firstGood = "kind: practice\ntenant: ash\nname: Ash\n---\n"
)
