package postgres_test

import (
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/migrations"
)

// next is the program's migrations and one more.
func next(t *testing.T, file *fstest.MapFile) fs.FS {
	t.Helper()
	all := fstest.MapFS{"9999_next.sql": file}
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(migrations.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = &fstest.MapFile{Data: data}
	}
	return all
}

// reading opens a transaction that reads a table and stays open.
func reading(t *testing.T, db *postgrestest.Database, table string) *pgx.Conn {
	t.Helper()
	reader, err := pgx.Connect(t.Context(), db.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reader.Close(context.WithoutCancel(t.Context())) })
	for _, statement := range []string{`SET application_name = 'a long report'`, `BEGIN`, `SELECT 'Ann Archer' FROM ` + table} {
		if _, err := reader.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	return reader
}

// reports keeps the reports that it receives.
type reports struct {
	mu  sync.Mutex
	all []string
}

func (l *reports) add(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, text)
}

func (l *reports) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.all, "\n")
}

// While the reader is there, the migrator gets nothing, and appends go on: if they waited
// behind it, none of them would end.
func TestCallsGoOnWhileAMigrationWaits_D54(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e, reader, reports := enginetest.On(t, db.URL), reading(t, db, "events"), &reports{}
	files := next(t, step(`ALTER TABLE events ADD COLUMN next int;`))
	migrated := make(chan error, 1)
	go func() {
		_, err := postgres.Migrator{URL: db.AdminURL, Tell: reports.add}.From(t.Context(), files)
		migrated <- err
	}()
	clocktest.Eventually(t, func() bool { return reports.text() != "" }, "the migrator reports its blocker")
	who := fmt.Sprintf("table events is held by pid %d (a long report, user frontdesk_owner, idle in transaction, last statement SELECT, since ", reader.PgConn().PID())
	if !strings.HasPrefix(reports.text(), who) || strings.Contains(reports.text(), "Ann") {
		t.Errorf("it reports %q, want %q", reports.text(), who)
	}
	for range 200 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		_, err := e.Store.Append(ctx, event.Change{Stream: enginetest.NewStream(), Events: []event.Event{eventtest.Counted{}}})
		cancel()
		if err != nil {
			t.Fatalf("an append has waited behind the migrator: %v", err)
		}
	}
	select {
	case err := <-migrated:
		t.Fatalf("the migration was applied beside the reader: %v", err)
	default:
	}
	if _, err := reader.Exec(t.Context(), `COMMIT`); err != nil {
		t.Fatal(err)
	}
	if err := <-migrated; err != nil {
		t.Error(err)
	}
	if _, err := e.Pool.Exec(t.Context(), `SELECT next FROM events`); err != nil {
		t.Error(err)
	}
}

// An index that an attempt has left unfinished would be taken for a good one.
func TestUnfinishedIndexIsRebuilt_D54(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e, admin := enginetest.On(t, db.URL), db.AdminPool(t)
	e.AppendMany(t, 2)
	if _, err := admin.Exec(t.Context(), `CREATE UNIQUE INDEX CONCURRENTLY events_next ON events (name)`); err == nil {
		t.Fatal("the index is no unfinished one")
	}
	file := &fstest.MapFile{Data: []byte("-- +goose NO TRANSACTION\n-- +goose Up\nCREATE INDEX CONCURRENTLY IF NOT EXISTS events_next ON events (name);\n")}
	if _, err := postgres.MigrateFrom(t.Context(), db.AdminURL, next(t, file)); err != nil {
		t.Fatal(err)
	}
	var valid bool
	if err := admin.QueryRow(t.Context(), `SELECT indisvalid FROM pg_index WHERE indexrelid = 'events_next'::regclass`).Scan(&valid); err != nil || !valid {
		t.Errorf("the index is valid: %t, %v", valid, err)
	}
}

var (
	comment      = regexp.MustCompile(`--.*`)
	concurrently = regexp.MustCompile(`^\s*(CREATE (UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS|DROP INDEX CONCURRENTLY IF EXISTS)\s`)
)

// The statements of a migration without a transaction wait for their locks for as long
// as it takes, and are made again if one of them fails.
func TestConcurrentIndexBlocksNoCall_D54(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(migrations.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "NO TRANSACTION") {
			continue
		}
		for statement := range strings.SplitSeq(comment.ReplaceAllString(string(text), ""), ";") {
			if strings.TrimSpace(statement) != "" && !concurrently.MatchString(statement) {
				t.Errorf("%s: only indexes are made and dropped without a transaction, CONCURRENTLY and IF [NOT] EXISTS: %s", name, statement)
			}
		}
	}
}
