package eventstore_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/event/eventtest"
)

// A gap in which an event may be is not closed by asking for no events.
func TestNoGapIsClosedUnseen_D52(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	slow := e.inFlight(t)
	e.look(t, e.Sequencer(), 1)
	if err := slow.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, most := range []any{0, 0, 0, -1, nil} {
		if _, err := e.Pool.Exec(t.Context(), `SELECT sequence_events($1, true)`, most); !invalid(err) {
			t.Errorf("%v events at most: %v", most, err)
		}
	}
	e.wantAll(t)
}

// invalid reports whether Postgres has refused a parameter's value.
func invalid(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refused.Code == "22023"
}

// insertInside draws a position, lets the sequencer work as often as it likes before the
// row is there, and then calls the sequencer's function itself.
const insertInside = `
INSERT INTO events (id, tenant, stream, version, name, data, metadata, recorded_at)
VALUES (gen_random_uuid(), 'e', gen_random_uuid(), 1, 'test.counted.v1',
	CASE WHEN pg_advisory_xact_lock(15) IS NOT NULL AND sequence_events(1000, false) IS NOT NULL AND sequence_events(1000, false) IS NOT NULL
		THEN '{"n":3}' END, '{}', now())`

// A transaction does not take itself for ended in the middle of an INSERT.
func TestInsertCannotHideItsEvent_D52(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	s, gate, slow := e.Sequencer(), e.begin(t), e.inFlight(t)
	if _, err := gate.Exec(t.Context(), `SELECT pg_advisory_xact_lock(15)`); err != nil {
		t.Fatal(err)
	}
	inserted := make(chan error)
	go func() {
		_, err := slow.Exec(t.Context(), insertInside)
		inserted <- err
	}()
	clocktest.Eventually(t, func() (both bool) {
		e.look(t, s, 1)
		err := e.Pool.QueryRow(t.Context(), `SELECT coalesce(sum(last - first + 1) = 2, false) FROM old_gaps`).Scan(&both)
		return both && err == nil
	}, "both positions wait for the writer")
	if err := gate.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-inserted; err != nil {
		t.Fatal(err)
	}
	if err := slow.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 4})
	e.wantAll(t)
}

// In a database from before Postgres 15 every role may create functions, even one that the
// owner's functions would call in the place of Postgres's own.
func TestServingRoleMakesNoFunctions_D52(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	enginetest.Execute(t, db.SuperuserURL, `DROP SCHEMA public CASCADE`)
	enginetest.Execute(t, db.SuperuserURL, `CREATE SCHEMA public AUTHORIZATION frontdesk_owner`)
	enginetest.Execute(t, db.SuperuserURL, `GRANT ALL ON SCHEMA public TO PUBLIC`)
	if _, err := postgres.Migrate(t.Context(), db.AdminURL); err != nil {
		t.Fatal(err)
	}
	pool := db.Pool(t)
	if fix, err := postgres.CheckMakers(t.Context(), pool); fix != "" || err != nil {
		t.Errorf("after a migration roles create functions: %s, %v", fix, err)
	}
	enginetest.Execute(t, db.SuperuserURL, `GRANT CREATE ON SCHEMA public TO frontdesk_audit`) // or the owner could not grant it
	fix, err := postgres.CheckMakers(t.Context(), pool)
	if err != nil || fix == "" {
		t.Fatalf("auditors create functions unnoticed: %v", err)
	}
	enginetest.Execute(t, db.SuperuserURL, fix)
	if fix, err := postgres.CheckMakers(t.Context(), pool); fix != "" || err != nil {
		t.Errorf("after the fix roles create functions: %s, %v", fix, err)
	}
}
