package practice_test

import (
	"fmt"
	"strings"
	"testing"

	"frontdesk/cmd/frontdesk/cli/clitest"
)

// A document that adds staff without the master key is refused before the first change.
func TestApplyNeedsTheMasterKeyForNewStaff_D107(t *testing.T) {
	t.Parallel()
	a := newApplied(t)
	a.run(elmRegistered+"staff: [{username: sam, name: Sam, email: sam@elm.example}]", clitest.NoMasterKey).WantFailure(t, 1, clitest.SealedHere)
	if n := a.events(); n != 0 {
		t.Errorf("%d events are stored", n)
	}
	a.run(elmRegistered, clitest.NoMasterKey).WantSuccess(t)
}

// Each refusal names its line, and all are made before the first change.
func TestRefusalsOfApplyNameTheLine_D107(t *testing.T) {
	t.Parallel()
	a := newApplied(t)
	a.changes(elmRegistered + "staff: [{username: sam, name: Sam, email: sam@elm.example}]")
	before := a.events()
	for documents, want := range map[string]string{
		"kind: practise":                                       "1:7: kind: a document begins with kind: practice or kind: application",
		"tenant: elm":                                          "1:1: kind: a document begins",
		"# nothing\n---\nkind: practice\nnam: x":               `4:1: unknown field "nam"`,
		"kind: practice\nsites: 7":                             "2:8: this must be a list",
		"kind: practice\nname: {a: 1}":                         "2:7: this must be a text",
		"kind: practice\nsites: [7]":                           "2:9: this must be a mapping",
		"kind: practice\ntenant: \"a\\0b\"":                    "2:9: tenant: there is a character in this text that cannot be printed",
		"kind: practice\ntenant: oak\ntenant: b":               `3:1: mapping key "tenant" already defined`,
		"kind: practice\n tenant: oak":                         "1:7: mapping value is not allowed",
		"kind: practice\ntenant: Oak\nname: Oak":               "2:9: tenant: A tenant identifier must be",
		"kind: practice\ntenant: oak":                          "1:1: name: Give the practice a name. (missing-name)",
		"kind: practice\ntenant: oak\nname: O\ntimeZone: Moon": "4:11: timeZone: The time zone must be",
		"kind: practice\ntenant: elm\nname: Oak":               "3:7: name: the practice's name is another one already",
		"kind: practice\ntenant: elm\ntimeZone: Europe/Paris":  "3:11: timeZone: the practice's time zone is another one already",
		elmRegistered + "---\n" + elmRegistered:                "5:1: the practice elm is declared in standard input:1 already",
		elmRegistered + "applications: [{application: 0190c7a2-0000-7000-8000-0000000000a1}]": "4:30: applications[0].application: There is no application",
		elmRegistered + "applications: [{application: x}]":                                    `4:30: applications[0].application: "x" is not the UUID of an application`,
		elmRegistered + "requestTypes:\n- type: dental\n  hours: []":                          "5:9: requestTypes[0].type: requestType must be medical or admin",
		elmRegistered + "requestTypes:\n- type: admin\n  hours: [mon 8-9]":                    `6:10: requestTypes[0].hours: Write "mon 8-9" like`,
		elmRegistered + "closures: [{until: 2036-01-01T00:00:00Z}]":                           "4:12: closures[0].from: a closure needs from",
		elmRegistered + "closures: [{from: tomorrow}]":                                        `4:19: closures[0].from: "tomorrow" is no instant`,
		elmRegistered + "sites: [{name: ' '}]":                                                "4:16: sites[0].name: Give the site or the room a name",
		elmRegistered + "sites: [{name: A}, {name: A}]":                                       `4:27: sites[1].name: the site "A" is in this document twice`,
		elmRegistered + "staff: [{username: sam, name: Zoe}]":                                 "4:31: staff[0].name: the name of this member of staff is another one already",
		elmRegistered + "staff: [{username: sam, roles: [owner]}]":                            "4:32: staff[0].roles: Choose roles from",
		elmRegistered + "staff: [{username: zoe, name: Zoe, email: zoe}]":                     "4:43: staff[0].email: The email address must be written like",
		elmRegistered + "staff: [{username: zoe, active: false}]":                             "4:9: staff[0]: no one with this username works here",
		"kind: application\napplication: x":                                                   `2:14: application: "x" is not the UUID of an application`,
		newApplication:                                                                        "1:1: jwksUrl: The URL must be of the form",
		newApplication + "jwksUrl: http://x.example":                                          "4:10: jwksUrl: The URL must start with https: http is for opened networks only, by --allow-network.",
		newApplication + "jwksUrl: http://x.example\n---\n" + elmRegistered + "applications: [{application: 0190c7a2-0000-7000-8000-0000000000a2}]": "4:10: jwksUrl: The URL must start with https: http is for opened networks only, by --allow-network.",
		newApplication + goodKeys + "callbacks: [{url: 'data:x'}]":                                                                                  "5:19: callbacks[0].url: A callback must be",
		newApplication + goodKeys + "grants: [{endpoint: ping, mode: user-restricted}]":                                                             "5:10: grants[0]: There is no such endpoint to grant",
		newApplication + goodKeys + "webhooks: [{event: x, url: y}]":                                                                                "5:12: webhooks[0]: ",
	} {
		a.run(firstGood+documents).WantFailure(t, 1, "nothing was changed: standard input:"+shifted(want))
	}
	wantRefusals(t, a.run(elmRegistered+"sites: [{name: ' '}]\nstaff: [{username: zoe}]"), "4:16: sites[0].name", "5:9: staff[0].name", "nothing was changed: fix these lines")
	if n := a.events(); n != before {
		t.Errorf("%d events were stored by refused files", n-before)
	}
	clitest.Frontdesk(t, "apply", "-f", "nowhere.yaml", "--database-url", a.db.URL).WantFailure(t, 1, "nowhere.yaml")
}

// shifted is a place, four lines further down.
func shifted(place string) string {
	var line int
	rest, _ := fmt.Sscanf(place, "%d:", &line)
	if rest != 1 {
		return place
	}
	_, after, _ := strings.Cut(place, ":")
	after = strings.Replace(after, "declared in standard input:1", "declared in standard input:5", 1)
	return fmt.Sprintf("%d:%s", line+4, after)
}

// wantRefusals fails unless the run was refused with these lines.
func wantRefusals(t *testing.T, o clitest.Outcome, says ...string) {
	t.Helper()
	if o.Status != 1 {
		t.Errorf("exit status %d", o.Status)
	}
	for _, text := range says {
		if !strings.Contains(o.Err, text) {
			t.Errorf("standard error does not say %q:\n%s", text, o.Err)
		}
	}
}
