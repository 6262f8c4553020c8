package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An event that nobody will ever place is in the database, and no export shows it.
func TestWhatTheLogLacksIsReported_D54(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.drain(t)
	owner := asRole(t, c.db.URL, "frontdesk_owner")
	exported := func(name string) (outcome, map[string]any) {
		file := filepath.Join(t.TempDir(), name)
		o := frontdesk(t, "audit", "export", "--out", file, "--database-url", c.auditor)
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
	if o, lost := exported("whole"); o.status != 0 || lost["count"] != 0.0 || len(lost["first"].([]any)) != 0 {
		t.Errorf("a whole log: %s %v", o.err, lost)
	}
	_, err := c.db.AdminPool(t).Exec(t.Context(), `
		INSERT INTO events (position, id, tenant, stream, version, name, data, metadata, recorded_at)
		OVERRIDING SYSTEM VALUE
		SELECT 0, '00000000-0000-4000-8000-000000000007', tenant, gen_random_uuid(), 1, name, data, metadata, recorded_at
		FROM events WHERE name = 'care-record.note-created.v1'`)
	if err != nil {
		t.Fatal(err)
	}
	const which = "event 00000000-0000-4000-8000-000000000007, at position 0, is not in the log"
	o, lost := exported("export")
	if o.status == 0 || !strings.Contains(o.err, "the export is not whole: events and log differ at 1 positions: "+which) {
		t.Errorf("the export: %d, %s", o.status, o.err)
	}
	if first := lost["first"].([]any)[0].(map[string]any); lost["count"] != 1.0 || first["id"] != "00000000-0000-4000-8000-000000000007" {
		t.Errorf("its manifest: %v", lost)
	}
	if o := frontdesk(t, "audit", "rebuild", "--database-url", owner); o.status == 0 || !strings.Contains(o.out, which) {
		t.Errorf("the rebuild: %d, %s %s", o.status, o.out, o.err)
	}
	if o := frontdesk(t, "audit", "rebuild", "--switch", "--database-url", owner); o.status == 0 || !strings.Contains(o.err, "nothing was put right, because the log is not whole: ") {
		t.Errorf("the switch: %d, %s %s", o.status, o.out, o.err)
	}
}
