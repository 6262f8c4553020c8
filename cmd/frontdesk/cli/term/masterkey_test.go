package term_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

func TestPersonalDataNeedsTheMasterKey_D68(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	for line, database := range map[string]string{
		"patient register --tenant=elm --name=Zoe":                                                  c.DB.URL,
		"staff register --tenant=elm --username=zoe --name=Zoe --email=zoe@elm.uk":                  c.DB.URL,
		"staff invite --tenant=elm --username=zoe --name=Zoe --email=zoe@elm.uk":                    c.DB.URL,
		"patient change-details --tenant=elm --name=Zoe --birth-date=1980-02-29 --patient=" + c.Ann: c.DB.URL,
		"audit log --show-personal":                                                                 c.Auditor,
		"audit calls --show-personal":                                                               c.Auditor,
		"audit export --out=" + t.TempDir() + "/log --show-personal":                                c.Auditor,
		"audit who-accessed --tenant=elm --show-personal --patient=" + c.Ann:                        c.Auditor,
		"audit replay --as-of=3":                                                                    c.Auditor,
		"audit explain --call=0190c7a2-0000-7000-8000-0000000000a1":                                 c.Auditor,
		"audit rebuild --projection=staff.v1":                                                       c.DB.AdminURL,
	} {
		args := append(strings.Fields(line), "--database-url", database)
		clitest.FrontdeskWith(t, "A cough", append(args, clitest.NoMasterKey)...).WantFailure(t, 1, clitest.SealedHere)
		another := sealing.MasterKey{2}
		clitest.FrontdeskWith(t, "A cough", append(args, "--master-key", base64.StdEncoding.EncodeToString(another[:]))...).
			WantFailure(t, 1, "sealed under master key", clitest.MasterKey.ID(), another.ID())
	}
	if log := c.Audit(t, "log", "--json"); strings.Contains(log.Out, "audit.queried") {
		t.Errorf("a reading that showed nothing is recorded:\n%s", log.Out)
	}
}

func TestOtherDataNeedsNoMasterKey_D68(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	for line, database := range map[string]string{
		"practice register --tenant=ash --name=Ash":               c.DB.URL,
		"site add --tenant=elm --name=Main":                       c.DB.URL,
		"patient restrict-record --tenant=elm --patient=" + c.Ann: c.DB.URL,
		"staff deactivate --tenant=elm --username=dr.lee":         c.DB.URL,
		"audit log": c.Auditor,
		"audit who-accessed --tenant=elm --patient=" + c.Ann: c.Auditor,
		"audit calls": c.Auditor,
	} {
		args := append(strings.Fields(line), "--database-url", database)
		if args[0] == "audit" { // the others have no such flag
			args = append(args, clitest.NoMasterKey)
		}
		o := clitest.Frontdesk(t, args...)
		o.WantSuccess(t)
		if strings.Contains(o.Out, "Ann Archer") || strings.Contains(o.Out, "a cough") {
			t.Errorf("%s shows personal data unasked:\n%s", line, o.Out)
		}
	}
}

func TestRebuildReportsModelsThatNeedTheMasterKey_D68(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	o := clitest.Frontdesk(t, "audit", "rebuild", "--database-url", c.DB.AdminURL, clitest.NoMasterKey)
	o.WantSuccess(t)
	want := "not compared: staff.v1, answers.v1, which hold personal data that is sealed here; give the master key with --master-key-file\nno other difference\n"
	if !strings.HasSuffix(o.Out, want) {
		t.Errorf("printed\n%s", o.Out)
	}
	if o := clitest.Frontdesk(t, "audit", "rebuild", "--database-url", c.DB.AdminURL); strings.Contains(o.Out, "not compared") {
		t.Errorf("with the key printed\n%s", o.Out)
	}
}

func TestPersonalDataIsShownWithTheMasterKeyAlone_D68(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	hidden, shown := c.Audit(t, "log"), c.Audit(t, "log", "--show-personal")
	for _, value := range []string{"Ann Archer", "Bob Baker", "Dr Lee", "lee@elm.example", "a cough"} {
		if strings.Contains(hidden.Out, value) || !strings.Contains(shown.Out, value) {
			t.Errorf("%q: hidden in\n%s, shown in\n%s", value, hidden.Out, shown.Out)
		}
	}
	if !strings.Contains(hidden.Out, "[personal]") || strings.Contains(shown.Out, "[personal]") {
		t.Errorf("hidden:\n%s\nshown:\n%s", hidden.Out, shown.Out)
	}
}
