package projections_test

import (
	"slices"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/projections"
)

// notFromTheLog lists the tables of queues, searches and secrets, which the log could
// not restore.
var notFromTheLog = []string{
	"deliveries", "display_sights", "parked_events", "patient_searches", "saved_filters", "sign_in_tries", "signing_key_secrets", "source_keys", "staff_challenges", "staff_devices", "staff_passkey_uses", "staff_passwords",
	"staff_sessions", "staff_sign_in_steps", "erasures_requested", "erasure_masters", "master_key_holders", "table_rewrites",
}

// A table that no projection declares is never rebuilt, and no two may declare the same.
func TestEveryReadModelDeclaresItsTables(t *testing.T) {
	t.Parallel()
	var declared []string
	for _, p := range projections.All() {
		if len(projections.TablesOf(p)) == 0 {
			t.Errorf("%s declares no table", p.Name())
		}
		for _, table := range projections.TablesOf(p) {
			if (table.Kept > 0) != (table.Age != "") {
				t.Errorf("table %s says %s and %q", table.Name, table.Kept, table.Age)
			}
			declared = append(declared, table.Name)
		}
	}
	slices.Sort(declared)
	all := slices.DeleteFunc(readModels(t, postgrestest.New(t).AdminPool(t)), func(table string) bool {
		return slices.Contains(notFromTheLog, table)
	})
	if !slices.Equal(declared, all) {
		t.Errorf("declared are\n%v, migrated are\n%v", declared, all)
	}
}
