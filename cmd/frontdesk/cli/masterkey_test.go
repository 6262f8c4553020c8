package cli_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"frontdesk/adapters/sealing"
)

func TestWhatSealsOrOpensNeedsTheMasterKey_D68(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	for line, database := range map[string]string{
		"register-patient --tenant=elm --name=Zoe":                                 c.db.URL,
		"register-staff --tenant=elm --username=zoe --name=Zoe --email=zoe@elm.uk": c.db.URL,
		"invite-staff --tenant=elm --username=zoe --name=Zoe --email=zoe@elm.uk":   c.db.URL,
		"create-note --tenant=elm --file=- --patient=" + c.ann:                     c.db.URL,
		"audit log --show-personal":                                                c.auditor,
		"audit calls --show-personal":                                              c.auditor,
		"audit export --out=" + t.TempDir() + "/log --show-personal":               c.auditor,
		"audit who-accessed --tenant=elm --show-personal --patient=" + c.ann:       c.auditor,
		"audit replay --as-of=3":                                                   c.auditor,
		"audit explain --call=0190c7a2-0000-7000-8000-0000000000a1":                c.auditor,
		"audit rebuild --projection=staff.v1":                                      c.db.AdminURL,
	} {
		args := append(strings.Fields(line), "--database-url", database)
		frontdeskWith(t, "A cough", append(args, noMasterKey)...).wantFailure(t, 1, sealedHere)
		another := sealing.MasterKey{2}
		frontdeskWith(t, "A cough", append(args, "--master-key", base64.StdEncoding.EncodeToString(another[:]))...).
			wantFailure(t, 1, "sealed under master key", theMasterKey.ID(), another.ID())
	}
	if log := c.audit(t, "log", "--json"); strings.Contains(log.out, "audit.queried") {
		t.Errorf("a reading that showed nothing is recorded:\n%s", log.out)
	}
}

func TestWhatNamesNobodyNeedsNoMasterKey_D68(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	for line, database := range map[string]string{
		"register-practice --tenant=ash --name=Ash":        c.db.URL,
		"add-site --tenant=elm --name=Main":                c.db.URL,
		"open-care-record --tenant=elm --patient=" + c.ann: c.db.URL,
		"deactivate-staff --tenant=elm --username=dr.lee":  c.db.URL,
		"audit log": c.auditor,
		"audit who-accessed --tenant=elm --patient=" + c.ann: c.auditor,
		"audit calls": c.auditor,
	} {
		args := append(strings.Fields(line), "--database-url", database)
		if args[0] == "audit" { // the others have no such flag
			args = append(args, noMasterKey)
		}
		o := frontdesk(t, args...)
		o.wantSuccess(t)
		if strings.Contains(o.out, "Ann Archer") || strings.Contains(o.out, "a cough") {
			t.Errorf("%s shows personal data unasked:\n%s", line, o.out)
		}
	}
}

func TestARebuildSaysWhatItCannotCompareWithoutTheMasterKey_D68(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	o := frontdesk(t, "audit", "rebuild", "--database-url", c.db.AdminURL, noMasterKey)
	o.wantSuccess(t)
	want := "not compared: staff.v1, answers.v1, which hold personal data that is sealed here; give the master key with --master-key-file\nno other difference\n"
	if !strings.HasSuffix(o.out, want) {
		t.Errorf("printed\n%s", o.out)
	}
	if o := frontdesk(t, "audit", "rebuild", "--database-url", c.db.AdminURL); strings.Contains(o.out, "not compared") {
		t.Errorf("with the key printed\n%s", o.out)
	}
}

func TestPersonalDataIsShownWithTheMasterKeyAlone_D68(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	hidden, shown := c.audit(t, "log"), c.audit(t, "log", "--show-personal")
	for _, value := range []string{"Ann Archer", "Bob Baker", "Dr Lee", "lee@elm.example", "a cough"} {
		if strings.Contains(hidden.out, value) || !strings.Contains(shown.out, value) {
			t.Errorf("%q: hidden in\n%s, shown in\n%s", value, hidden.out, shown.out)
		}
	}
	if !strings.Contains(hidden.out, "[personal]") || strings.Contains(shown.out, "[personal]") {
		t.Errorf("hidden:\n%s\nshown:\n%s", hidden.out, shown.out)
	}
}
