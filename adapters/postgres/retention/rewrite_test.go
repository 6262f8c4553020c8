package retention_test

import (
	"slices"
	"strings"
	"testing"

	"frontdesk/adapters/clock/clocktest"
)

// holds reports whether the file of a table holds a text, also in rows that are deleted.
func (o *office) holds(table, text string) (found bool) {
	o.t.Helper()
	super := o.db.SuperuserPool(o.t)
	_, err := super.Exec(o.t.Context(), `CHECKPOINT`)
	must(o.t, err)
	must(o.t, super.QueryRow(o.t.Context(), `SELECT position(convert_to($2, 'UTF8') IN pg_read_binary_file(pg_relation_filepath($1::regclass))) > 0`, table, text).Scan(&found))
	return found
}

func (o *office) do(sql string) {
	o.t.Helper()
	_, err := o.db.SuperuserPool(o.t).Exec(o.t.Context(), sql)
	must(o.t, err)
}

// Postgres leaves the bytes of deleted rows in the file; a rewritten file does not hold them.
func TestRetainRewritesSmallTables_D136(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.do(`ALTER TABLE staff SET (autovacuum_enabled = false)`) // it would remove deleted rows first
	o.do(`ALTER TABLE personal_keys SET (autovacuum_enabled = false)`)
	o.do(`INSERT INTO staff (tenant, staff, username, name, email, administrator) VALUES ('elm', gen_random_uuid(), 'zoe', 'Zoe Zeppelin', 'z@elm.uk', false);
		INSERT INTO master_keys (id) VALUES ('0f');
		INSERT INTO personal_keys (tenant, kind, holder, fingerprint, master, wrapped) VALUES ('elm', 2, gen_random_uuid(), '', '0f', 'the wrapped key')`)
	o.do(`UPDATE staff SET username = '', name = '', email = ''`)
	o.do(`DELETE FROM personal_keys`)
	must(t, o.Run(t.Context()))
	if !o.holds("staff", "Zoe Zeppelin") || !o.holds("personal_keys", "the wrapped key") {
		t.Error("tables are rewritten although no one was erased, or Postgres has overwritten deleted rows itself")
	}

	o.do(`INSERT INTO erasures (tenant, kind, holder, fingerprint, erased_at, erasure, stream, version) VALUES ('elm', 2, gen_random_uuid(), '', now(), gen_random_uuid(), gen_random_uuid(), 2)`)
	clocktest.Eventually(t, func() bool { // VACUUM keeps rows that an older snapshot may see, such as that of an ANALYZE
		var older int
		must(t, o.db.SuperuserPool(t).QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND backend_xmin IS NOT NULL AND pid <> pg_backend_pid()`).Scan(&older))
		return older == 0
	}, "no snapshot is older than the deletions")
	must(t, o.Run(t.Context()))
	for table, text := range map[string]string{"staff": "Zoe Zeppelin", "personal_keys": "the wrapped key"} {
		if o.holds(table, text) {
			t.Errorf("%s still holds %q", table, text)
		}
	}
	said := len(o.reports)
	must(t, o.Run(t.Context()))
	if slices.ContainsFunc(o.reports[said:], func(line string) bool { return strings.Contains(line, "rewritten") }) {
		t.Errorf("rewritten again without an erasure: %q", o.reports[said:])
	}
}

// Statistics would keep keys and names after their rows.
func TestStatisticsHoldNoPersonalData_D136(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.do(`INSERT INTO staff (tenant, staff, username, name, email, administrator)
		SELECT 'elm', gen_random_uuid(), 'zoe' || n, 'Zoe Zeppelin', 'z@elm.uk', false FROM generate_series(1, 500) n;
		INSERT INTO master_keys (id) VALUES ('0f');
		INSERT INTO personal_keys (tenant, kind, holder, fingerprint, master, wrapped)
		SELECT 'elm', 2, gen_random_uuid(), 'fingerprint', '0f', 'the wrapped key' FROM generate_series(1, 500);
		ANALYZE`)
	var columns []string
	must(t, o.owner.QueryRow(t.Context(), `SELECT coalesce(array_agg(attname::text ORDER BY attname), '{}') FROM pg_stats
		WHERE tablename = 'personal_keys' AND attname IN ('wrapped', 'fingerprint') OR tablename = 'staff' AND attname IN ('username', 'name', 'email')`).Scan(&columns))
	if len(columns) > 0 {
		t.Errorf("statistics hold values of %v", columns)
	}
}
