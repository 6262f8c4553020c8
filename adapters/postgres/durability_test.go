package postgres_test

import (
	"strings"
	"testing"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
)

func TestSynchronousDurabilityNeedsAStandby(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	pool := db.Pool(t)
	if err := postgres.CheckDurability(t.Context(), pool, postgres.Asynchronous); err != nil {
		t.Errorf("nothing is demanded: %v", err)
	}
	err := postgres.CheckDurability(t.Context(), pool, postgres.Synchronous)
	if want := "no synchronous standby is streaming"; !strings.Contains(enginetest.Text(err), want) {
		t.Errorf("without a standby: %v, want %s", err, want)
	}
	if _, err := db.SuperuserPool(t).Exec(t.Context(), `ALTER FUNCTION synchronous_standbys() OWNER TO frontdesk_audit`); err != nil {
		t.Fatal(err)
	}
	err = postgres.CheckDurability(t.Context(), pool, postgres.Synchronous)
	if want := "GRANT pg_read_all_stats"; !strings.Contains(enginetest.Text(err), want) {
		t.Errorf("an owner without rights: %v, want %s", err, want)
	}
}
