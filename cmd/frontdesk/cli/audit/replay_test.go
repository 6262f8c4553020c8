package audit_test

import (
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

func TestThePastIsAskedByTheProgramsOwnQueries(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	enabled := func(asOf string) (idx float64, applications int, authorisations int) {
		t.Helper()
		found := clitest.Objects(t, c.Audit(t, "replay", "--as-of", asOf, "--tenant=elm", "--json").Out)
		return found[0]["idx"].(float64), len(found[1]["applications"].([]any)), len(found[1]["authorisations"].([]any))
	}
	for _, test := range []struct {
		asOf                         string
		idx                          float64
		applications, authorisations int
	}{
		{c.Before.Format(time.RFC3339Nano), 8, 0, 0}, {c.Enabled.Format(time.RFC3339Nano), 10, 1, 1}, {"9", 9, 1, 0}, {"13", 13, 0, 1},
	} {
		if idx, apps, auths := enabled(test.asOf); idx != test.idx || apps != test.applications || auths != test.authorisations {
			t.Errorf("as of %s: idx %v, %d applications, %d authorisations", test.asOf, idx, apps, auths)
		}
	}
	if table := c.Audit(t, "replay", "--as-of=10").Out; !strings.Contains(table, "up to idx 10") || !strings.Contains(table, "by dr.lee for every patient") {
		t.Errorf("the table is\n%s", table)
	}
	clitest.Frontdesk(t, "audit", "replay", "--as-of=yesterday", "--database-url", c.Auditor).WantFailure(t, 1, "instant")
	clitest.Frontdesk(t, "audit", "replay", "--as-of=3", "--keep=then", "--database-url", c.Auditor).WantFailure(t, 1, "permission denied")
}

func TestACallIsExplained(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	ask := func(args ...string) map[string]any {
		t.Helper()
		o := c.Audit(t, append([]string{"explain", "--json", "--tenant=elm", "--application", c.App, "--endpoint=create-note"}, args...)...)
		return clitest.Objects(t, o.Out)[0]
	}
	then, now := c.Enabled.Format(time.RFC3339Nano), clock.System().Format(time.RFC3339Nano)
	for _, test := range []struct {
		args []string
		rule string
		idx  float64 // of the event that decided; 0 for none
	}{
		{[]string{"--at", then, "--user=dr.lee", "--patient", c.Ann}, "none", 0},
		{[]string{"--at", c.Before.Format(time.RFC3339Nano), "--user=dr.lee", "--patient", c.Ann}, "application-enabled", 0},
		{[]string{"--at", now, "--user=dr.lee", "--patient", c.Ann}, "application-enabled", 13},
		{[]string{"--at", then, "--patient", c.Ann}, "endpoint-granted", 0},
		{[]string{"--at", then, "--user=kim", "--patient", c.Ann}, "user-authorised", 0},
		{[]string{"--at", c.Enabled.Add(13 * time.Hour).Format(time.RFC3339Nano), "--user=dr.lee", "--patient", c.Ann}, "application-enabled", 13},
		{[]string{"--at", then, "--application=0190c7a2-0000-7000-8000-0000000000a1", "--patient", c.Ann}, "application-registered", 0},
	} {
		found := ask(test.args...)
		if found["rule"] != test.rule || found["allowed"] != (test.rule == "none") {
			t.Errorf("%v: %v", test.args, found)
		}
		for _, b := range found["because"].([]any) {
			because := b.(map[string]any)
			if because["rule"] == test.rule && because["idx"] != test.idx {
				t.Errorf("%v was decided by idx %v, want %v", test.args, because["idx"], test.idx)
			}
		}
	}
	if text := c.Audit(t, "explain", "--tenant=elm", "--application", c.App, "--endpoint=create-note", "--at", now).Out; !strings.Contains(text, "has not been granted access") || !strings.Contains(text, "idx 13") {
		t.Errorf("it says\n%s", text)
	}
	const call = "0190c7a2-0000-7000-8000-000000000001"
	if _, err := c.DB.AdminPool(t).Exec(t.Context(), `
		INSERT INTO access_record (request_id, at, tenant, application, mode, staff, endpoint, patient, status, code, reason, token_hash)
		SELECT $1, $2, 'elm', $3, 'user-restricted', staff, 'create-note', $4, 200, '', '', '\x00' FROM staff`, call, c.Enabled, c.App, c.Ann); err != nil {
		t.Fatal(err)
	}
	if found := clitest.Objects(t, c.Audit(t, "explain", "--json", "--call", call).Out)[0]; found["allowed"] != true || found["recorded"].(map[string]any)["status"] != 200.0 || len(found["because"].([]any)) != 5 {
		t.Errorf("the recorded call is explained as %v", found)
	}
	clitest.Frontdesk(t, "audit", "explain", "--tenant=elm", "--database-url", c.Auditor).WantFailure(t, 1, "--call")
	clitest.Frontdesk(t, "audit", "explain", "--call=0190c7a2-0000-7000-8000-0000000000a1", "--database-url", c.Auditor).WantFailure(t, 1, "unknown-call")
}

func TestRebuildReportsDifferences(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	rebuild := func(args ...string) clitest.Outcome {
		t.Helper()
		return clitest.Frontdesk(t, append([]string{"audit", "rebuild", "--database-url", c.DB.AdminURL}, args...)...)
	}
	if o := rebuild(); o.Status != 0 || !strings.Contains(o.Out, "no difference") {
		t.Errorf("%s%s", o.Out, o.Err)
	}
	if _, err := c.DB.AdminPool(t).Exec(t.Context(), `DELETE FROM patients WHERE patient = $1`, c.Ann); err != nil {
		t.Fatal(err)
	}
	o := rebuild("--projection=patients.v1")
	o.WantFailure(t, 1, "--switch")
	if !strings.Contains(o.Out, "patients lacks 1 rows") || !strings.Contains(o.Out, c.Ann) || strings.Contains(o.Out, "Archer") {
		t.Errorf("it says\n%s", o.Out)
	}
	if o := rebuild("--switch", "--json"); o.Status != 0 || clitest.Objects(t, o.Out)[0]["switched"] != true {
		t.Errorf("%s%s", o.Out, o.Err)
	}
	if o := rebuild(); o.Status != 0 {
		t.Errorf("%s%s", o.Out, o.Err)
	}
	rebuild("--projection=nothing.v1").WantFailure(t, 1, "patients.v1")
	clitest.Frontdesk(t, "audit", "rebuild", "--database-url", c.Auditor).WantFailure(t, 1, "permission denied")

	if o := rebuild("--proofs", "--json"); o.Status != 0 || clitest.Objects(t, o.Out)[0]["others"] == nil {
		t.Errorf("%s%s", o.Out, o.Err)
	}
	if _, err := c.DB.AdminPool(t).Exec(t.Context(), `UPDATE trees SET size = size + 1 WHERE tenant = 'elm'`); err != nil {
		t.Fatal(err)
	}
	o = rebuild("--proofs")
	o.WantFailure(t, 1, "trees did not match the log")
	if o.Out != "the tree of elm (events) was another\n" {
		t.Errorf("it says\n%s", o.Out)
	}
	if o := rebuild("--proofs"); o.Status != 0 || o.Out != "rebuilt; every tree was correct\n" {
		t.Errorf("%s%s", o.Out, o.Err)
	}
	rebuild("--proofs", "--switch").WantFailure(t, 2, "--proofs")
	clitest.Frontdesk(t, "audit", "rebuild", "--proofs", "--database-url", c.Auditor).WantFailure(t, 1, "permission denied")
}
