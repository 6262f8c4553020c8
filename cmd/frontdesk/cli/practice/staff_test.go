package practice_test

import (
	"encoding/json"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

// A password is read from standard input and appears nowhere (D27).
func TestAPasswordIsReadFromStandardInput_D27(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	const password, another = "walnut soup boat", "coffee tin fish"
	run := func(in string, args ...string) clitest.Outcome {
		t.Helper()
		return clitest.FrontdeskWith(t, in, append(args, "--database-url", db.URL)...)
	}
	wants := func(o clitest.Outcome, text string) {
		t.Helper()
		if o.Status != 0 || !strings.Contains(o.Out, text) || strings.Contains(o.Out+o.Err, password) || strings.Contains(o.Out+o.Err, another) {
			t.Errorf("exit status %d:\n%s%s", o.Status, o.Out, o.Err)
		}
	}
	wants(run("", "practice", "register", "--tenant=elm", "--name=Elm"), "practice.registered.v1")
	register := []string{"staff", "register", "--tenant=elm", "--username=dr.lee", "--name=Lee", "--email=lee@elm.example", "--password-stdin"}
	run("short\n", register...).WantFailure(t, 1, "at least 10 characters")
	wants(run(password+"\n", register...), "staff.password-set.v1")

	set := []string{"staff", "set-password", "--tenant=elm", "--username=dr.lee"}
	run(another, set...).WantFailure(t, 1, "--password-stdin")
	set = append(set, "--password-stdin")
	run("", set...).WantFailure(t, 1, "--password-stdin")
	run("two\nlines of text", set...).WantFailure(t, 1, "one line")
	run("dr.lee.x\n", "staff", "set-password", "--tenant=elm", "--username=nobody", "--password-stdin").WantFailure(t, 1, "no active member of staff")
	for _, end := range []string{"", "\n", "\r\n"} {
		wants(run(another+end, set...), "staff.password-set.v1")
	}
	register = []string{"application", "register", "--name=Referrals", "--jwks-url=https://app.example/jwks.json", "--json"}
	var registered struct{ ApplicationID string }
	if err := json.Unmarshal([]byte(run("", register...).Out), &registered); err != nil {
		t.Fatal(err)
	}
	wants(run("", "authorisation", "grant", "--tenant=elm", "--username=dr.lee", "--application="+registered.ApplicationID), "granted")
	wants(run(another, append(set, "--keep-authorisations")...), "endedAuthorisations: none\n")
	wants(run(another, set...), "endedAuthorisations: application "+registered.ApplicationID+"\nappended staff.password-set.v1\nappended user-authorisation.revoked.v1\n")
	wants(run(another, append(set, "--json")...), `"endedAuthorisations":[]`)
	o := run("", "audit", "log", "--json", "--show-personal")
	wants(o, `"reason":"password-reset"`)
	wants(o, "staff.password-set.v1")
	if strings.Contains(o.Out, "argon2") {
		t.Error("the log holds a hash")
	}
}
