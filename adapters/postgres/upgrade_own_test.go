package postgres_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/event"
)

// What a process of the release before sends, on a connection that has prepared it before
// calls had durations and deliveries addresses.
var withoutOwn = []string{
	`INSERT INTO access_record (request_id, at, tenant, application, mode, staff, endpoint, patient, status, code, reason, act, token_hash, sealed)
	SELECT * FROM unnest(ARRAY[$1::uuid], ARRAY[now()], '{elm}'::text[], ARRAY[$2::uuid], '{application-restricted}'::text[], '{NULL}'::uuid[],
		'{ping}'::text[], '{NULL}'::uuid[], '{200}'::int[], '{""}'::text[], '{""}'::text[], '{NULL}'::text[], '{"\\\\x00"}'::bytea[], '{NULL}'::bytea[])
	ON CONFLICT (request_id) DO NOTHING`,
	`INSERT INTO deliveries (event, application, idx, tenant, kind, subject, destination, happened_at, not_after, status, finished_at)
	VALUES ($1, $2, 1, 'elm', 'record.opened', $1, $2, now(), now(), 'delivered', now() - interval '40 days') ON CONFLICT (event, application) DO NOTHING`,
	`WITH gone AS (
		DELETE FROM deliveries WHERE event = $1 AND application = $2
		RETURNING event, application, idx, tenant, kind, destination, happened_at, finished_at, status, reason)
	INSERT INTO delivered (event, application, idx, tenant, kind, patient, destination, happened_at, finished_at, status, reason)
	SELECT event, application, idx, tenant, kind, NULL, destination, happened_at, finished_at, status, reason FROM gone ON CONFLICT (event, application) DO NOTHING`,
	`SELECT event, application, idx, kind, tenant, destination, status, reason, http_status, kid, happened_at, claimed_at, finished_at, connect_ms, answer_ms
	FROM delivery_log WHERE event = $1 AND application = $2`,
}

func TestAProcessOfTheReleaseBeforeGoesOnBesideDurations_D95(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	recreateUpTo(t, db, "0039")
	conn, err := pgx.Connect(t.Context(), db.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	app := uuid.New()
	work := func() {
		t.Helper()
		id := event.NewID()
		for _, sql := range withoutOwn {
			does(t, conn, sql, id, app)
		}
	}
	work()
	done, err := postgres.Migrate(t.Context(), db.AdminURL)
	if err != nil || len(done.Applied) == 0 || done.Applied[0] != "0039_own_calls.sql" {
		t.Fatal(done, err)
	}
	work()
	var calls, told int
	err = conn.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM access_record WHERE took_ms IS NULL), (SELECT count(*) FROM delivery_log WHERE url IS NULL)`).Scan(&calls, &told)
	if err != nil || calls != 2 || told != 2 {
		t.Errorf("%d calls without a duration, %d deliveries without an address: %v", calls, told, err)
	}
}
