package postgres_test

import (
	"errors"
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/migrations"
)

// upTo are the migrations of an older version.
func upTo(t *testing.T, last string) fs.FS {
	t.Helper()
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	older := fstest.MapFS{}
	for _, name := range names {
		if name <= last {
			data, err := fs.ReadFile(migrations.FS, name)
			if err != nil {
				t.Fatal(err)
			}
			older[name] = &fstest.MapFile{Data: data}
		}
	}
	return older
}

// Until Postgres 15, everybody could make functions in the schema public. Those of the owner
// would call them as the owner, so nobody may any more.
func TestAnUpgradeKeepsStrangersFunctionsFromTheOwners_D52(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	older(t, db)
	if _, err := postgres.Migrate(t.Context(), db.AdminURL); err != nil {
		t.Fatal(err)
	}
	e := engineOn(t, db.URL)
	_, err := e.pool.Exec(t.Context(), `CREATE FUNCTION public.unnest(int8multirange) RETURNS SETOF int8range LANGUAGE sql AS 'SELECT NULL::int8range'`)
	if refused, ok := errors.AsType[*pgconn.PgError](err); !ok || refused.Code != "42501" {
		t.Errorf("the serving role makes a function: %v", err)
	}
}

// older brings a database to where the release before left it, with the schema public as
// it was before Postgres 15.
func older(t *testing.T, db *postgrestest.Database) {
	t.Helper()
	_, err := db.SuperuserPool(t).Exec(t.Context(), `DROP SCHEMA public CASCADE; CREATE SCHEMA public AUTHORIZATION frontdesk_owner; GRANT ALL ON SCHEMA public TO PUBLIC`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.MigrateFrom(t.Context(), db.AdminURL, upTo(t, "0016")); err != nil {
		t.Fatal(err)
	}
}

// Until 0016, a process of the release before has listed its gaps, and put events into the
// log. It is appending while that one is applied.
func TestAnUpgradeLosesNothingThatTheReleaseBeforeHadOpen_D53(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	older(t, db)
	e := engineOn(t, db.URL)
	slow, refused := e.inFlight(t), e.inFlight(t)
	e.placed(t)
	if err := refused.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.placed(t)
	for _, sequenced := range []string{
		`INSERT INTO log (idx, position) VALUES (1, 3)`,
		`UPDATE sequencer SET head = 1, reached = 3, gaps = '{1,2}', watched = '{1}', writers = '{1/1}', condemned = '{2}'`,
	} {
		if _, err := e.pool.Exec(t.Context(), sequenced); err != nil {
			t.Fatalf("a process of the release before cannot sequence before the last migration: %v", err)
		}
	}
	e.pool.Reset() // what this process has planned belongs to the version before
	if done, err := postgres.MigrateFrom(t.Context(), db.AdminURL, upTo(t, "0017")); err != nil || len(done.Applied) == 0 || done.Applied[0] != "0016_sequencing.sql" {
		t.Fatal(done, err)
	}
	if got := e.gaps(t); !slices.Equal(got, []int64{1, 2}) {
		t.Errorf("gaps after the upgrade: %v", got)
	}
	if _, err := e.pool.Exec(t.Context(), `UPDATE sequencer SET head = 2`); err == nil {
		t.Error("a process of the release before goes on sequencing")
	}
	if err := slow.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.Migrate(t.Context(), db.AdminURL); err != nil {
		t.Fatal(err)
	}
	e.wantAll(t)
	e.look(t, e.sequencer(), enough)
	if got := e.gaps(t); len(got) > 0 {
		t.Errorf("gaps when nobody is left: %v", got)
	}
}

// placed is an append of the release before.
func (e *engine) placed(t testing.TB) {
	t.Helper()
	if err := e.inFlight(t).Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}
