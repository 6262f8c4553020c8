package practice_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

var invitePat = []string{"staff", "invite", "--tenant=elm", "--username=dr.pat", "--name=Pat", "--email=pat@elm.example", "--role=manager"}

// A link is printed once, as a path or an address, and nothing else knows its secret.
func TestALinkIsPrintedOnceAndKeptNowhere_D64(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	run := func(args ...string) string {
		t.Helper()
		o := clitest.Frontdesk(t, append(args, "--database-url", db.URL)...)
		if o.Status != 0 {
			t.Fatalf("%q: exit status %d: %s", args, o.Status, o.Err)
		}
		return o.Out
	}
	run("practice", "register", "--tenant=elm", "--name=Elm")
	given := run(invitePat...)
	link := regexp.MustCompile(`(?m)^link: /elm/staff/link/([A-Z2-7]{52})$`).FindStringSubmatch(given)
	if link == nil || !regexp.MustCompile(`(?m)^expiresAt: .+Z$`).MatchString(given) || !strings.Contains(given, "staffId: ") {
		t.Fatalf("printed\n%s", given)
	}
	var object struct {
		StaffID, Link string
		ExpiresAt     time.Time
	}
	reset := run("staff", "reset", "--tenant=elm", "--username=dr.pat", "--auth-url=https://auth.example/", "--json")
	if err := json.Unmarshal([]byte(reset), &object); err != nil {
		t.Fatal(err)
	}
	secret, found := strings.CutPrefix(object.Link, "https://auth.example/elm/staff/link/")
	if !found || len(secret) != 52 || object.ExpiresAt.IsZero() || object.StaffID == "" {
		t.Errorf("printed %s", reset)
	}
	log := run("audit", "log", "--json", "--show-personal")
	if strings.Contains(log, secret) || strings.Contains(log, link[1]) || !strings.Contains(log, `"kind":"operator"`) {
		t.Errorf("the log holds a secret, or does not say who did it:\n%s", log)
	}
}

// An operator is judged by no role, also not by the role of the member they act for.
func TestAnOperatorMayRemoveTheLastManager_D63(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	for _, line := range []string{
		"practice register --tenant=elm --name=Elm",
		"staff register --tenant=elm --username=dr.lee --name=Lee --email=lee@elm.example",
		"staff register --tenant=elm --username=dr.may --name=May --email=may@elm.example --role=manager",
		"staff set-roles --tenant=elm --username=dr.may --as=dr.lee",
		"staff set-roles --tenant=elm --username=dr.lee --role=manager --as=dr.lee",
		"staff deactivate --tenant=elm --username=dr.lee --as=dr.lee",
	} {
		if o := clitest.Frontdesk(t, append(strings.Fields(line), "--database-url", db.URL)...); o.Status != 0 {
			t.Errorf("%s: exit status %d: %s", line, o.Status, o.Err)
		}
	}
}

func TestALinksCommandIsRefused(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	typed := func(args ...string) clitest.Outcome {
		return clitest.Frontdesk(t, append(args, "--database-url", db.URL)...)
	}
	typed("practice", "register", "--tenant=elm", "--name=Elm")
	typed(append(invitePat, "--auth-url=auth.example")...).WantFailure(t, 1, "--auth-url")
	typed("staff", "set-roles", "--tenant=elm", "--username=dr.pat", "--role=owner").WantFailure(t, 1, "receptionist, clinician, manager and privacy-officer")
	typed("staff", "reset", "--tenant=elm", "--username=dr.pat").WantFailure(t, 1, "no active member of staff")
	typed("staff", "reactivate", "--tenant=elm", "--username=dr.pat").WantFailure(t, 1, "no active member of staff")
}

// A display's link is printed once, and nothing else knows its secret.
func TestADisplayIsAddedAndRemoved_D88(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	typed := func(args ...string) clitest.Outcome {
		return clitest.Frontdesk(t, append(args, "--database-url", db.URL)...)
	}
	typed("practice", "register", "--tenant=elm", "--name=Elm")
	var site struct{ SiteID string }
	if err := json.Unmarshal([]byte(typed("site", "add", "--tenant=elm", "--name=Main", "--json").Out), &site); err != nil {
		t.Fatal(err)
	}
	add := []string{"site", "add-display", "--tenant=elm", "--name=Waiting room", "--site=" + site.SiteID, "--auth-url=https://auth.example"}
	given := typed(add...)
	link := regexp.MustCompile(`(?m)^link: https://auth\.example/elm/staff/displays/link/([0-9a-f-]{36})/([A-Z2-7]{52})$`).FindStringSubmatch(given.Out)
	if link == nil {
		t.Fatalf("printed\n%s%s", given.Out, given.Err)
	}
	typed(append(add, "--naming=nickname")...).WantFailure(t, 1, "full-name, initials and number")
	if o := typed("site", "remove-display", "--tenant=elm", "--display="+link[1]); o.Status != 0 || !strings.Contains(o.Out, "display.removed.v1") {
		t.Errorf("removed: %+v", o)
	}
	typed("site", "remove-display", "--tenant=elm", "--display="+site.SiteID).WantFailure(t, 1, "no display")
	if log := typed("audit", "log", "--json", "--show-personal").Out; strings.Contains(log, link[2]) || !strings.Contains(log, `"initials"`) {
		t.Errorf("the log holds a secret, or no display:\n%s", log)
	}
}
