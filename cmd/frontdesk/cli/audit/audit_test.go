package audit_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/cmd/frontdesk/cli/clitest"
)

func TestReadingOfPatientsIsInTheLog_D37(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	c.Audit(t, "log")                                                                   // nothing personal
	c.Audit(t, "log", "--tenant=elm", "--show-personal", "--event", "staff.registered") // recorded
	c.Audit(t, "log", "--patient", c.Ann)
	c.Audit(t, "who-accessed", "--tenant=elm", "--patient", c.Bob)
	c.Audit(t, "export", "--out", filepath.Join(t.TempDir(), "log"), "--show-personal")
	c.Drain(t)
	type reading struct {
		command, tenant string
		count           float64
	}
	want := []reading{{"log", "elm", 1}, {"log", "", 2}, {"who-accessed", "elm", 2}, {"export", "", 13}}
	found := clitest.Objects(t, c.Audit(t, "log", "--json", "--event=audit.queried").Out)
	if len(found) != len(want) {
		t.Fatalf("recorded %v", found)
	}
	for n, e := range found {
		data := e["data"].(map[string]any)
		if got := (reading{data["command"].(string), e["tenant"].(string), data["count"].(float64)}); got != want[n] {
			t.Errorf("recorded %+v, want %+v", got, want[n])
		}
		if who := e["actor"].(map[string]any)["id"].(string); who != "frontdesk_audit" {
			t.Errorf("by %s", who)
		}
	}
}

// Where it cannot be recorded, nothing is shown.
func TestAReadingThatCannotBeRecordedShowsNothing_D37(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	if _, err := c.DB.AdminPool(t).Exec(t.Context(), `REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM frontdesk_audit`); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"log", "--show-personal"}, {"log", "--patient", c.Ann}, {"who-accessed", "--tenant=elm", "--patient", c.Ann}} {
		o := clitest.Frontdesk(t, append([]string{"audit"}, append(args, "--database-url", c.Auditor)...)...)
		o.WantFailure(t, 1, "nothing is shown")
		if o.Out != "" {
			t.Errorf("%v shows %q", args, o.Out)
		}
	}
}

// A doctored function that records nothing is found by the reader.
func TestUnrecordedReadingShowsNothing_D138(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	if _, err := c.DB.SuperuserPool(t).Exec(t.Context(), `CREATE OR REPLACE FUNCTION record_audit_query(
		event_id uuid, of_tenant text, who text, what text, by_filter text, of_patient uuid, personal boolean, shown bigint)
		RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN RETURN gen_random_uuid(); END $$`); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"log", "--show-personal"}, {"log", "--patient", c.Ann}, {"who-accessed", "--tenant=elm", "--patient", c.Ann}} {
		o := clitest.Frontdesk(t, append([]string{"audit"}, append(args, "--database-url", c.Auditor)...)...)
		o.WantFailure(t, 1, "nothing is shown")
		if o.Out != "" {
			t.Errorf("%v shows %q", args, o.Out)
		}
	}
}

func TestAnExportCanBeChecked(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	file := filepath.Join(t.TempDir(), "elm.ndjson")
	c.Audit(t, "export", "--tenant=elm", "--up-to=11", "--out", file)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file + ".manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	manifest := clitest.Objects(t, string(text))[0]
	sum := sha256.Sum256(data)
	if manifest["sha256"] != hex.EncodeToString(sum[:]) || manifest["count"] != float64(len(clitest.Objects(t, string(data)))) ||
		manifest["after"] != 0.0 || manifest["upTo"] != 11.0 || manifest["filter"] != "tenant=elm&up-to=11" || manifest["personal"] != false {
		t.Errorf("manifest %s", text)
	}
	if strings.Contains(string(data), "Archer") {
		t.Error("personal data is exported unasked")
	}
	if again := c.Audit(t, "log", "--tenant=elm", "--up-to=11", "--json").Out; again != string(data) {
		t.Error("an export holds other lines than audit log --json")
	}
}

func TestAccessesToAPatientAreListed_D37(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	if _, err := c.DB.AdminPool(t).Exec(t.Context(), `
		INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, patient, status, code, reason, token_hash)
		VALUES ('0190c7a2-0000-7000-8000-000000000001', now(), 'elm', $1, 'application-restricted', 'create-note', $2, 403, 'unauthorized', 'no', '\x00'),
			('0190c7a2-0000-7000-8000-000000000002', now(), 'oak', $1, 'application-restricted', 'create-note', $2, 200, '', '', '\x00')`, c.App, c.Ann); err != nil {
		t.Fatal(err)
	}
	found := clitest.Objects(t, c.Audit(t, "who-accessed", "--tenant=elm", "--patient", c.Ann, "--json").Out)
	var what []string
	for _, a := range found {
		what = append(what, a["kind"].(string)+" "+a["what"].(string))
	}
	if got := strings.Join(what, ", "); got != "event patient.registered.v1, event care-record.note-created.v1, call create-note" {
		t.Errorf("listed %s", got)
	}
	if table := c.Audit(t, "who-accessed", "--tenant=elm", "--patient", c.Ann).Out; !strings.Contains(table, "403 no") || strings.Contains(table, "cough") {
		t.Errorf("the table is\n%s", table)
	}
}
