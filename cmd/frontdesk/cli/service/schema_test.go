package service_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

// A trigger that swallows rows, and row security that hides some, are named by whatever
// starts, verifies or rebuilds.
func TestDoctoredSchemaIsNamed(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	prepare(t, db, `
		CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; REVOKE ALL ON FUNCTION swallow() FROM PUBLIC; ALTER FUNCTION swallow() OWNER TO frontdesk_owner;
		CREATE TRIGGER swallow BEFORE INSERT ON deliveries FOR EACH ROW EXECUTE FUNCTION swallow();
		ALTER TABLE record_entries ENABLE ROW LEVEL SECURITY`)
	want := []any{"function swallow(): added", "row security record_entries: added", "trigger deliveries.swallow: added"}

	line := clitest.Serving(t, "--database-url", db.URL).Line(t, "the schema differs from the one that this program needs: find out who changed it, and change it back as a superuser")
	if diff := cmp.Diff(want, line["first"]); diff != "" || line["differences"] != 3.0 {
		t.Errorf("at the start (-want +got):\n%s", diff)
	}

	verify := clitest.Frontdesk(t, "audit", "verify", "--database-url", db.AdminURL)
	verify.WantFailure(t, 1)
	for _, d := range want {
		if !strings.Contains(verify.Out, fmt.Sprint("the schema is not this program's: ", d)) {
			t.Errorf("verify does not name %s:\n%s", d, verify.Out)
		}
	}

	rebuild := clitest.Frontdesk(t, "audit", "rebuild", "--json", "--database-url", db.AdminURL)
	rebuild.WantFailure(t, 1, "the schema of the database differs from the one that this program needs")
	var result struct{ Schema []any }
	if err := json.Unmarshal([]byte(rebuild.Out), &result); err != nil || !cmp.Equal(want, result.Schema) {
		t.Errorf("rebuild says %s, %v", rebuild.Out, err)
	}
}
