package practice_test

import (
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

// A command that takes something away names the consequences at a terminal, and asks. A dry run
// appends nothing.
func TestTakingAwayAsksFirst_D181(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	for _, line := range []string{
		"practice register --tenant=elm --name=Elm",
		"staff register --tenant=elm --username=dr.may --name=May --email=may@elm.example --role=manager --password-stdin",
	} {
		clitest.FrontdeskWith(t, "maple kettle orbit\n", append(strings.Fields(line), "--database-url", db.URL)...).WantSuccess(t)
	}
	deactivate := func(more ...string) []string {
		return append([]string{"staff", "deactivate", "--tenant=elm", "--username=dr.may", "--database-url", db.URL}, more...)
	}
	wantEvents := func(want int) {
		t.Helper()
		var n int
		clitest.Must(t, db.AdminPool(t).QueryRow(t.Context(), `SELECT count(*) FROM events WHERE name = 'staff.deactivated.v1'`).Scan(&n))
		if n != want {
			t.Errorf("%d deactivations, want %d", n, want)
		}
	}
	if o := clitest.Frontdesk(t, deactivate("--dry-run")...); o.Out != "would append staff.deactivated.v1\n" {
		t.Errorf("a dry run prints %q, %s", o.Out, o.Err)
	}
	if o := clitest.Frontdesk(t, deactivate("--dry-run", "--json")...); o.Out != `{"wouldAppend":["staff.deactivated.v1"]}`+"\n" {
		t.Errorf("a dry run prints %q, %s", o.Out, o.Err)
	}
	for _, typed := range []string{"\n", "n\n", ""} {
		o := clitest.AtTerminal(t, typed, deactivate()...)
		const asks = "They can no longer sign in, and applications can no longer act for them. The practice then has no manager who can sign in.\nContinue? [y/N] "
		if o.Status != 1 || !strings.HasPrefix(o.Err, asks) || !strings.HasSuffix(o.Err, "nothing was changed\n") {
			t.Errorf("typed %q: status %d, %s", typed, o.Status, o.Err)
		}
	}
	wantEvents(0)
	clitest.AtTerminal(t, "yes\n", deactivate()...).WantSuccess(t)
	wantEvents(1)
	if o := clitest.AtTerminal(t, "", deactivate()...); o.Status != 0 || o.Out != "nothing to change\n" || o.Err != "" {
		t.Errorf("with nothing to take away it prints %q, %q", o.Out, o.Err)
	}
	for _, line := range []string{"staff reactivate", "staff set-password --password-stdin"} {
		clitest.FrontdeskWith(t, "maple kettle orbit\n", append(strings.Fields(line), "--tenant=elm", "--username=dr.may", "--database-url", db.URL)...).WantSuccess(t)
	}
	clitest.AtTerminal(t, "", deactivate("--yes")...).WantSuccess(t)
	wantEvents(2)
}

// The question knows who else is a manager.
func TestQuestionNamesLastManager_D181(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	run := func(line string) {
		clitest.FrontdeskWith(t, "maple kettle orbit\n", append(strings.Fields(line), "--database-url", db.URL)...).WantSuccess(t)
	}
	run("practice register --tenant=elm --name=Elm")
	for _, name := range []string{"dr.may", "dr.lee"} {
		run("staff register --tenant=elm --username=" + name + " --name=May --email=may@elm.example --role=manager --password-stdin")
	}
	wantWarning := func(want bool, more ...string) {
		t.Helper()
		args := append([]string{"staff", "set-roles", "--tenant=elm", "--username=dr.lee", "--database-url", db.URL}, more...)
		if o := clitest.AtTerminal(t, "n\n", args...); o.Status != 1 || strings.Contains(o.Err, "no manager who can sign in") != want {
			t.Errorf("%v: status %d, %s", more, o.Status, o.Err)
		}
	}
	wantWarning(false)
	run("staff deactivate --tenant=elm --username=dr.may")
	wantWarning(true)
	wantWarning(false, "--role=manager", "--role=clinician")
}

// An erasure cannot be undone, so an operator at a terminal is asked. A script is not.
func TestErasureAsksAtTerminal_D181(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	const someone = "0190c7a2-0000-7000-8000-0000000000b0"
	confirm := []string{"erasure", "confirm", "--tenant=elm", "--patient=" + someone, "--erasure=" + someone, "--database-url", db.URL}
	o := clitest.AtTerminal(t, "n\n", confirm...)
	if o.Status != 1 || !strings.Contains(o.Err, "This destroys the key of the person's data for good.") || !strings.HasSuffix(o.Err, "nothing was changed\n") {
		t.Errorf("status %d, %s", o.Status, o.Err)
	}
	for _, unasked := range []clitest.Outcome{clitest.Frontdesk(t, confirm...), clitest.AtTerminal(t, "", append(confirm, "--yes")...)} {
		unasked.WantFailure(t, 1, "not-found")
	}
}
