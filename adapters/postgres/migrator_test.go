package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/migrations"
)

var steps = fstest.MapFS{
	"0001_rooms.sql": step(`CREATE TABLE rooms (name text); CREATE TABLE schema_support (oldest_program bigint);
		INSERT INTO schema_support VALUES (1); GRANT SELECT ON rooms, schema_support TO frontdesk_app;`),
	"0002_sites.sql": step(`CREATE TABLE sites (name text); UPDATE schema_support SET oldest_program = 2;`),
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

// The third migration changes nothing for programs of the second.
func TestNewerSchemaServesOlderProgram_D178(t *testing.T) {
	t.Parallel()
	db := unmigrated(t)
	if _, err := postgres.MigrateFrom(t.Context(), db.AdminURL, steps); err != nil {
		t.Fatal(err)
	}
	for program, refuses := range map[int]bool{1: true, 2: false, 3: false} {
		if err := postgres.CheckSchemaFrom(t.Context(), db.Pool(t), firstSteps(program)); refuses {
			wantNewer(t, err)
		} else if err != nil {
			t.Errorf("a program of version %d is refused: %v", program, err)
		}
	}
	_, err := postgres.MigrateFrom(t.Context(), db.AdminURL, firstSteps(1))
	wantNewer(t, err)
}

// wantNewer fails if a program of version 1 does not learn that a database at version 3 is too new for it.
func wantNewer(t *testing.T, err error) {
	t.Helper()
	_, ok := errors.AsType[*postgres.SchemaError](err)
	if want := "the database is at version 3, newer than this program's 1: run a newer frontdesk"; !ok || enginetest.Text(err) != want {
		t.Errorf("%v, want %q", err, want)
	}
}

// A migration that forgets the programs of the release before would break them while they serve.
func TestEachMigrationStatesOldestProgram_D178(t *testing.T) {
	t.Parallel()
	if err := statesOldestProgram(migrations.FS); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]struct {
		sql  string
		good bool
	}{
		"unchanged":            {"ALTER TABLE rooms ADD COLUMN floor int;\nUPDATE schema_support SET oldest_program = 2;", true},
		"raised":               {"ALTER TABLE rooms DROP COLUMN name;\nUPDATE schema_support SET oldest_program = 3;", true},
		"not stated":           {"ALTER TABLE rooms DROP COLUMN name;", false},
		"stated in a comment":  {"ALTER TABLE rooms DROP COLUMN name; -- UPDATE schema_support SET oldest_program = 3;", false},
		"lowered":              {"UPDATE schema_support SET oldest_program = 1;", false},
		"newer than itself":    {"UPDATE schema_support SET oldest_program = 5;", false},
		"without transactions": {"-- +goose NO TRANSACTION\nDROP INDEX CONCURRENTLY IF EXISTS rooms_name;", true},
	} {
		files := fstest.MapFS{"0004_next.sql": step(c.sql)}
		maps.Copy(files, steps)
		if err := statesOldestProgram(files); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}

var oldestProgram = regexp.MustCompile(`(?m)^[^-\n]*UPDATE schema_support SET oldest_program = (\d+);`)

// statesOldestProgram checks the migrations after the first: each sets the oldest program, to the value before or a
// higher one, except those that only make and drop indexes.
func statesOldestProgram(files fs.FS) error {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return err
	}
	oldest := int64(1)
	for _, name := range names[1:] {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if strings.Contains(string(text), "+goose NO TRANSACTION") {
			continue
		}
		stated := oldestProgram.FindSubmatch(text)
		if stated == nil {
			return fmt.Errorf("%s does not state the oldest program that it serves: UPDATE schema_support SET oldest_program = %d, if programs of before can go on", name, oldest)
		}
		own, err := goose.NumericComponent(name)
		if err != nil {
			return err
		}
		version, err := strconv.ParseInt(string(stated[1]), 10, 64)
		if err != nil || version < oldest || version > own {
			return fmt.Errorf("%s states %s as the oldest program, which is not between %d and its own version", name, stated[1], oldest)
		}
		oldest = version
	}
	return nil
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
