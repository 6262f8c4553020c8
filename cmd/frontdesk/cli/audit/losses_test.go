package audit_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/cmd/frontdesk/cli/clitest"
)

// An event that will never be placed is in the database, and no export shows it.
func TestEventsMissingFromTheLogAreReported_D54(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	c.Drain(t)
	owner := clitest.AsRole(t, c.DB.URL, "frontdesk_owner")
	exported := func(name string) (clitest.Outcome, map[string]any) {
		file := filepath.Join(t.TempDir(), name)
		o := clitest.Frontdesk(t, "audit", "export", "--out", file, "--database-url", c.Auditor)
		manifest, err := os.ReadFile(file + ".manifest.json")
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(manifest, &m); err != nil {
			t.Fatal(err)
		}
		return o, m["lost"].(map[string]any)
	}
	if o, lost := exported("whole"); o.Status != 0 || lost["count"] != 0.0 || len(lost["first"].([]any)) != 0 {
		t.Errorf("a whole log: %s %v", o.Err, lost)
	}
	_, err := c.DB.AdminPool(t).Exec(t.Context(), `
		INSERT INTO events (position, id, tenant, stream, version, name, data, metadata, recorded_at)
		OVERRIDING SYSTEM VALUE
		SELECT 0, '00000000-0000-4000-8000-000000000007', tenant, gen_random_uuid(), 1, name, data, metadata, recorded_at
		FROM events WHERE name = 'care-record.note-created.v1'`)
	if err != nil {
		t.Fatal(err)
	}
	const which = "event 00000000-0000-4000-8000-000000000007, at position 0, is not in the log"
	o, lost := exported("export")
	if o.Status == 0 || !strings.Contains(o.Err, "the export is not whole: events and log differ at 1 positions: "+which) {
		t.Errorf("the export: %d, %s", o.Status, o.Err)
	}
	if first := lost["first"].([]any)[0].(map[string]any); lost["count"] != 1.0 || first["id"] != "00000000-0000-4000-8000-000000000007" {
		t.Errorf("its manifest: %v", lost)
	}
	if o := clitest.Frontdesk(t, "audit", "rebuild", "--database-url", owner); o.Status == 0 || !strings.Contains(o.Out, which) {
		t.Errorf("the rebuild: %d, %s %s", o.Status, o.Out, o.Err)
	}
	if o := clitest.Frontdesk(t, "audit", "rebuild", "--switch", "--database-url", owner); o.Status == 0 || !strings.Contains(o.Err, "nothing was put right, because the log is not whole: ") {
		t.Errorf("the switch: %d, %s %s", o.Status, o.Out, o.Err)
	}
}
