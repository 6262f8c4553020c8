//go:build prove

package postgres_test

import (
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/provetest"
)

// An autovacuum that takes hours is at work on events. A migration makes it give way,
// and no append has to wait for that.
func TestProveAnAutovacuumGivesWay_D54(t *testing.T) {
	t.Parallel()
	server := postgrestest.Cluster(t)
	super, owner := server.URL("frontdesk", embedded.Superuser), server.URL("frontdesk", embedded.Owner)
	enginetest.Execute(t, owner, `INSERT INTO events (id, tenant, stream, version, name, data, metadata, recorded_at)
		SELECT gen_random_uuid(), 'elm', gen_random_uuid(), 1, 'test.counted.v1', '{}', '{}', now() FROM generate_series(1, 100000)`)
	enginetest.Execute(t, owner, `ALTER TABLE events SET (autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1, autovacuum_vacuum_insert_threshold = 1, autovacuum_vacuum_insert_scale_factor = 0)`)
	enginetest.Execute(t, super, `ALTER SYSTEM SET autovacuum_naptime = '1s'`)
	enginetest.Execute(t, super, `SELECT pg_reload_conf()`)
	e := enginetest.On(t, server.URL("frontdesk", postgres.AppRole))
	const atWork = `SELECT count(*) FROM pg_stat_progress_vacuum WHERE datname = 'frontdesk'`
	vacuums := func() (n int) {
		if err := e.Pool.QueryRow(t.Context(), atWork).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	clocktest.Eventually(t, func() bool { return vacuums() > 0 }, "the autovacuum is at work")

	provetest.Tried(t, vacuums(), "autovacuums at work")
	reports := &reports{}
	files := next(t, step(`ALTER TABLE events ADD COLUMN next int;`))
	if _, err := (postgres.Migrator{URL: owner, Wait: 20 * time.Second, Tell: reports.add}).From(t.Context(), files); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(reports.text(), "autovacuum") {
		t.Errorf("it reported %q", reports.text())
	}
	var cancelled int
	if err := e.Pool.QueryRow(t.Context(), `SELECT autovacuum_count FROM pg_stat_user_tables WHERE relname = 'events'`).Scan(&cancelled); err != nil || cancelled != 0 {
		t.Errorf("%d autovacuums have ended by themselves, %v", cancelled, err)
	}
}
