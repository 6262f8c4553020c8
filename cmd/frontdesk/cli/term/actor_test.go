package term_test

import (
	"context"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/adapters/clock"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

func fromThisMachine(t *testing.T, actor map[string]any) bool {
	t.Helper()
	u, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	machine, _ := actor["machine"].(string)
	return strings.HasPrefix(machine, u.Username+"@")
}

// An operator of the machine can name any member of staff. So the log names the operator,
// and the member they claim to act for.
func TestActingForStaffNamesTheOperator(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	lee := clitest.Objects(t, c.Audit(t, "log", "--json", "--event=staff.registered").Out)[0]["stream"]
	clitest.Frontdesk(t, "patient", "register", "--database-url", c.DB.URL, "--tenant=elm", "--name=Cid Cole").WantSuccess(t)
	clitest.Frontdesk(t, "application", "enable", "--database-url", c.DB.URL, "--tenant=elm", "--application", c.App, "--as=dr.lee").WantSuccess(t)
	enabled := clock.System()

	own := c.ActorOf(t, "patient.registered")
	if own["kind"] != "operator" || own["id"] != "frontdesk_app" || !fromThisMachine(t, own) || own["for"] != nil {
		t.Errorf("an operator is %v", own)
	}
	acting := c.ActorOf(t, "practice.application-enabled")
	if acting["kind"] != "operator" || acting["id"] != "frontdesk_app" || !fromThisMachine(t, acting) || acting["for"] != lee {
		t.Errorf("an operator who acts for %v is %v", lee, acting)
	}
	shown := "operator:frontdesk_app (" + acting["machine"].(string) + ") for staff:" + lee.(string)
	if table := c.Audit(t, "log", "--event=practice.application-enabled").Out; !strings.Contains(table, shown) {
		t.Errorf("want %q in\n%s", shown, table)
	}
	if why := c.Audit(t, "explain", "--at", enabled.Format("2006-01-02T15:04:05.999999999Z07:00"), "--tenant=elm",
		"--application", c.App, "--user=dr.lee", "--endpoint=create-note").Out; !strings.Contains(why, "practice.application-enabled.v1  by "+shown) {
		t.Errorf("want %q in\n%s", shown, why)
	}
	if found := c.ActorOf(t, "practice.application-enabled", "--tenant=elm", "--user=dr.lee"); found["for"] != lee {
		t.Errorf("by --user, %v is found", found)
	}
}

// The auditor is the user of the database session. The claim of the machine is recorded
// next to it, marked as a claim.
func TestAuditorIsTheSessionUser_D37(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	c.Audit(t, "log", "--patient", c.Ann)
	c.Drain(t)
	if who := c.ActorOf(t, "audit.queried"); who["kind"] != "operator" || who["id"] != "frontdesk_audit" || !fromThisMachine(t, who) {
		t.Errorf("read by %v", who)
	}
}

// Operators and auditors who share a role cannot be distinguished. With roles of their own,
// which are members of ours, they can.
func TestARoleOfOnesOwnIsNamed(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	anna := "anna_" + strings.ReplaceAll(c.Ann, "-", "") // roles belong to the whole cluster
	exec := func(sql string) {
		t.Helper()
		if _, err := c.DB.SuperuserPool(t).Exec(context.WithoutCancel(t.Context()), sql); err != nil {
			t.Error(err)
		}
	}
	exec(`CREATE ROLE ` + anna + ` LOGIN IN ROLE frontdesk_app, frontdesk_audit`)
	defer exec(`DROP ROLE ` + anna)
	c.Auditor = clitest.AsRole(t, c.DB.URL, anna)
	c.Audit(t, "log", "--patient", c.Ann)
	if o := clitest.Frontdesk(t, "patient", "register", "--tenant=elm", "--name=Cleo Cole", "--database-url", c.Auditor); o.Status != 0 {
		t.Fatal(o.Err)
	}
	for _, name := range []string{"audit.queried", "patient.registered"} {
		if who := c.ActorOf(t, name); who["id"] != anna {
			t.Errorf("%s by %v, want %s", name, who, anna)
		}
	}
	file := filepath.Join(t.TempDir(), "log")
	c.Audit(t, "export", "--out", file)
	manifest, err := os.ReadFile(file + ".manifest.json")
	if err != nil || !strings.Contains(string(manifest), `"exportedBy":"operator:`+anna+` (`) {
		t.Errorf("the manifest is %s, %v", manifest, err)
	}
}
