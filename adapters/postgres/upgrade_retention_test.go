package postgres_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/event"
	"frontdesk/migrations"
)

// What a process of the release before sends, on a connection that has prepared it before
// the records had partitions.
var earlier = struct{ record, queue, forget, list string }{
	record: `INSERT INTO access_record (request_id, at, tenant, application, mode, staff, endpoint, patient, status, code, reason, act, token_hash)
		SELECT * FROM unnest(ARRAY[$1::uuid], ARRAY[now()], '{elm}'::text[], ARRAY[$2::uuid], '{application-restricted}'::text[], '{NULL}'::uuid[],
			'{ping}'::text[], '{NULL}'::uuid[], '{200}'::int[], '{""}'::text[], '{""}'::text[], '{NULL}'::text[], '{"\\\\x00"}'::bytea[])
		ON CONFLICT (request_id) DO NOTHING`,
	queue: `INSERT INTO deliveries (event, application, idx, tenant, kind, subject, destination, happened_at, not_after, status, finished_at)
		VALUES ($1, $2, 1, 'elm', 'record.opened', $1, $2, now(), now(), 'delivered', now() - interval '40 days') ON CONFLICT (event, application) DO NOTHING`,
	forget: `DELETE FROM deliveries WHERE ctid = ANY (ARRAY (SELECT ctid FROM deliveries WHERE finished_at < now() - interval '30 days'
		ORDER BY finished_at LIMIT 1000 FOR UPDATE SKIP LOCKED)) RETURNING kind`,
	list: `SELECT request_id FROM access_record WHERE tenant = 'elm' ORDER BY request_id DESC LIMIT 10`,
}

func TestAProcessOfTheReleaseBeforeGoesOnBesideThePartitions_D72(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	recreate(t, db)
	conn, err := pgx.Connect(t.Context(), db.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	app, first := uuid.New(), event.NewID()
	work := func(want int, calls ...uuid.UUID) {
		t.Helper()
		for _, id := range calls {
			does(t, conn, earlier.record, id, app)
			does(t, conn, earlier.queue, id, app)
		}
		does(t, conn, earlier.forget)
		rows, _ := conn.Query(t.Context(), earlier.list)
		if found, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID]); err != nil || len(found) != want || found[len(found)-1] != first {
			t.Errorf("the record holds %v, want %d calls: %v", found, want, err)
		}
	}
	work(2, first, event.NewID(), first)
	if done, err := postgres.Migrate(t.Context(), db.AdminURL); err != nil || len(done.Applied) == 0 || done.Applied[0] != "0023_retention.sql" {
		t.Fatal(done, err)
	}
	work(3, first, event.NewID(), first)
}

func does(t *testing.T, conn *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// The migration makes everybody wait, so it looks through nothing and builds no index anew.
func TestNobodyWaitsUntilTheAccessRecordIsLookedThrough_D54(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	recreate(t, db)
	admin := db.AdminPool(t)
	mustExec(t, admin, `INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, status, code, reason, token_hash)
		SELECT gen_random_uuid(), now(), 'elm', gen_random_uuid(), 'application-restricted', 'ping', 200, '', '', '\x00' FROM generate_series(1, 100)`)
	const files = `SELECT array_agg(relfilenode ORDER BY relfilenode) FROM pg_class WHERE oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = $1::text::regclass)`
	var indexes, now []uint32
	if err := admin.QueryRow(t.Context(), files, "access_record").Scan(&indexes); err != nil {
		t.Fatal(err)
	}
	text, err := fs.ReadFile(migrations.FS, "0023_retention.sql")
	if err != nil {
		t.Fatal(err)
	}
	up, _, _ := strings.Cut(string(text), "-- +goose Down")
	tx, err := admin.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	var read int
	if _, err := tx.Exec(t.Context(), up); err != nil {
		t.Fatal(err)
	}
	if err := tx.QueryRow(t.Context(), `SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables WHERE relname = 'access_record_default'`).Scan(&read); err != nil {
		t.Fatal(err)
	}
	if err := tx.QueryRow(t.Context(), files, "access_record_default").Scan(&now); err != nil || read > 0 || len(indexes) != 7 || !slices.Equal(indexes, now) {
		t.Errorf("%d rows are read, and the indexes are %v before and %v after: %v", read, indexes, now, err)
	}
}

// recreate brings a database to where the release before left it.
func recreate(t *testing.T, db *postgrestest.Database) {
	t.Helper()
	recreateUpTo(t, db, "0023")
}

// recreateUpTo brings a database to where it was before a migration.
func recreateUpTo(t *testing.T, db *postgrestest.Database, migration string) {
	t.Helper()
	if _, err := db.SuperuserPool(t).Exec(t.Context(), `DROP SCHEMA public CASCADE; CREATE SCHEMA public AUTHORIZATION frontdesk_owner; GRANT USAGE ON SCHEMA public TO PUBLIC`); err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.MigrateFrom(t.Context(), db.AdminURL, upTo(t, migration)); err != nil {
		t.Fatal(err)
	}
}
