package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
)

var steps = fstest.MapFS{
	"0001_rooms.sql": step(`CREATE TABLE rooms (name text); GRANT SELECT ON rooms TO frontdesk_app;`),
	"0002_sites.sql": step(`CREATE TABLE sites (name text);`),
	// It waits for every snapshot of the database, that of a waiting migrator too.
	"0003_index.sql": {Data: []byte("-- +goose NO TRANSACTION\n-- +goose Up\nCREATE INDEX CONCURRENTLY rooms_name ON rooms (name);\n")},
}

func step(sql string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte("-- +goose Up\n" + sql + "\n")}
}

// firstSteps are an older program's migrations.
func firstSteps(n int) fs.FS {
	older := fstest.MapFS{}
	for _, name := range slices.Sorted(maps.Keys(steps))[:n] {
		older[name] = steps[name]
	}
	return older
}

// unmigrated is an empty database in a cluster that has the roles.
func unmigrated(t *testing.T) *postgrestest.Database {
	t.Helper()
	db := postgrestest.New(t)
	_, err := db.AdminPool(t).Exec(t.Context(), `DROP SCHEMA public CASCADE; CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO PUBLIC`)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func TestMigrateAppliesPendingMigrations(t *testing.T) {
	t.Parallel()
	db := unmigrated(t)
	serving := db.Pool(t)
	for _, c := range []struct {
		program  int
		want     postgres.Migrated
		before   string // the check's error to a program of that version
		reported string
	}{
		{2, postgres.Migrated{From: 0, To: 2, Applied: []string{"0001_rooms.sql", "0002_sites.sql"}},
			"the database is at version 0, this program needs 2: run frontdesk migrate",
			"applied 0001_rooms.sql, 0002_sites.sql: the schema is at version 2"},
		{3, postgres.Migrated{From: 2, To: 3, Applied: []string{"0003_index.sql"}},
			"the database is at version 2, this program needs 3: run frontdesk migrate",
			"applied 0003_index.sql: the schema is at version 3"},
		{3, postgres.Migrated{From: 3, To: 3}, "", "nothing to change: the schema is at version 3"},
	} {
		if got := enginetest.Text(postgres.CheckSchemaFrom(t.Context(), serving, firstSteps(c.program))); got != c.before {
			t.Errorf("before: %q, want %q", got, c.before)
		}
		got, err := postgres.MigrateFrom(t.Context(), db.AdminURL, firstSteps(c.program))
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("to version %d: %v\n%s", c.program, err, diff)
		}
		if got.String() != c.reported {
			t.Errorf("the operator gets %q, want %q", got, c.reported)
		}
		if err := postgres.CheckSchemaFrom(t.Context(), serving, firstSteps(c.program)); err != nil {
			t.Errorf("after: %v", err)
		}
	}
}

func TestOlderProgramLeavesNewerDatabase(t *testing.T) {
	t.Parallel()
	db := unmigrated(t)
	if _, err := postgres.MigrateFrom(t.Context(), db.AdminURL, steps); err != nil {
		t.Fatal(err)
	}
	_, migrating := postgres.MigrateFrom(t.Context(), db.AdminURL, firstSteps(1))
	for what, err := range map[string]error{
		"migrating": migrating,
		"checking":  postgres.CheckSchemaFrom(t.Context(), db.Pool(t), firstSteps(1)),
	} {
		refusal, ok := errors.AsType[*postgres.SchemaError](err)
		if want := "the database is at version 3, newer than this program's 1: run a newer frontdesk"; !ok || !refusal.Ahead() || enginetest.Text(err) != want {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
	}
}

// An operator's own role is named by the environment, and a migration would fail at the first
// table.
func TestOnlySchemaOwnerMigrates_D54(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	var owner string
	if err := db.AdminPool(t).QueryRow(t.Context(), `SELECT tableowner FROM pg_tables WHERE tablename = 'goose_db_version'`).Scan(&owner); err != nil {
		t.Fatal(err)
	}
	_, err := postgres.Migrate(t.Context(), db.URL)
	if want := "frontdesk_app does not own the schema: name a --database-url that connects as " + owner; enginetest.Text(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestMigratorsAtOnceApplyEachMigrationOnce(t *testing.T) {
	t.Parallel()
	db := unmigrated(t)
	applied := make(chan int, 4)
	var migrators sync.WaitGroup
	for range cap(applied) {
		migrators.Go(func() {
			done, err := postgres.MigrateFrom(t.Context(), db.AdminURL, steps)
			if err != nil {
				t.Error(err)
			}
			applied <- len(done.Applied)
		})
	}
	migrators.Wait()
	close(applied)
	if got := slices.Sorted(channel(applied)); !slices.Equal(got, []int{0, 0, 0, 3}) {
		t.Errorf("migrators applied %v migrations, want one to apply them all", got)
	}
}

func channel[T any](c <-chan T) func(yield func(T) bool) {
	return func(yield func(T) bool) {
		for v := range c {
			if !yield(v) {
				return
			}
		}
	}
}

func TestAMigratorWaitsNoLongerThanItsCaller(t *testing.T) {
	t.Parallel()
	db := unmigrated(t)
	holder, err := pgx.Connect(t.Context(), db.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close(context.WithoutCancel(t.Context()))
	for _, statement := range []string{`SET application_name = 'the other one'`, `SELECT pg_advisory_lock(` + strconv.Itoa(postgres.MigrationLock) + `)`} {
		if _, err := holder.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var reported string
	_, err = postgres.Migrator{URL: db.AdminURL, Tell: func(text string) { reported = text; cancel() }}.From(ctx, steps)
	who := fmt.Sprintf("pid %d (the other one, user frontdesk_owner, idle, last statement SELECT, since ", holder.PgConn().PID())
	if !errors.Is(err, context.Canceled) || !strings.Contains(enginetest.Text(err), who) {
		t.Errorf("waiting for ever: %v, want %s", err, who)
	}
	if !strings.HasPrefix(reported, "another migrator is at work: "+who) {
		t.Errorf("the waiting migrator reports %q", reported)
	}
}

func TestAFailedMigrationLeavesTheOnesBeforeIt(t *testing.T) {
	t.Parallel()
	db := unmigrated(t)
	broken := fstest.MapFS{
		"0001_rooms.sql": steps["0001_rooms.sql"],
		"0002_sites.sql": step(`CREATE TABLE sites (name text); SELECT nonsense;`),
	}
	if _, err := postgres.MigrateFrom(t.Context(), db.AdminURL, broken); !strings.Contains(enginetest.Text(err), "0002_sites.sql") {
		t.Errorf("got %v, want the file's name", err)
	}
	got, err := postgres.MigrateFrom(t.Context(), db.AdminURL, firstSteps(2)) // fixed
	if want := (postgres.Migrated{From: 1, To: 2, Applied: []string{"0002_sites.sql"}}); err != nil || !cmp.Equal(got, want) {
		t.Errorf("did %+v (%v), want %+v", got, err, want)
	}
}

func TestACheckThatCannotAskIsNoSchemaError(t *testing.T) {
	t.Parallel()
	pool := postgrestest.New(t).Pool(t)
	if err := postgres.CheckSchema(t.Context(), pool); err != nil {
		t.Errorf("this program's own database: %v", err)
	}
	pool.Close()
	err := postgres.CheckSchema(t.Context(), pool)
	if _, ok := errors.AsType[*postgres.SchemaError](err); ok || err == nil {
		t.Errorf("a closed pool: %v", err)
	}
}
