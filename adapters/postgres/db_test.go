package postgres_test

import (
	"context"
	"errors"
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/fault"
	"frontdesk/domain/staff"
)

// ways are all ways of running a statement.
func ways(sql string) map[string]func(context.Context, postgres.DB) error {
	return map[string]func(context.Context, postgres.DB) error{
		"query": func(ctx context.Context, db postgres.DB) error {
			found, _ := db.Query(ctx, sql)
			_, err := pgx.CollectRows(found, pgx.RowTo[int])
			return err
		},
		"row": func(ctx context.Context, db postgres.DB) error { return db.QueryRow(ctx, sql).Scan(new(int)) },
		"exec": func(ctx context.Context, db postgres.DB) error {
			_, err := db.Exec(ctx, sql)
			return err
		},
		"batch": func(ctx context.Context, db postgres.DB) error {
			batch := &pgx.Batch{}
			batch.Queue(sql)
			return db.ExecBatch(ctx, batch)
		},
		"transaction": func(ctx context.Context, db postgres.DB) error {
			return db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
				_, err := tx.Exec(ctx, sql)
				return err
			})
		},
	}
}

// asked runs a statement in every possible way, and returns the error of each (D41).
func asked(ctx context.Context, db postgres.DB, sql string) map[string]error {
	failed := map[string]error{}
	for way, ask := range ways(sql) {
		failed[way] = ask(ctx, db)
	}
	return failed
}

func TestUnreachableDatabaseIsUnavailable_D19(t *testing.T) {
	t.Parallel()
	nowhere := "postgres://x@/x?" + url.Values{"host": {t.TempDir()}}.Encode()
	e := enginetest.On(t, nowhere)

	failed := asked(t.Context(), postgres.On(e.Pool), `SELECT 1`)
	_, failed["load"] = e.Store.Load(t.Context(), enginetest.NewStream())
	_, failed["append"] = e.Store.Append(t.Context(), event.Change{Stream: enginetest.NewStream(), Events: []event.Event{eventtest.Counted{}}})
	_, failed["acquire"] = postgres.Acquire(t.Context(), e.Pool)
	found, err := postgres.On(e.Pool).Query(t.Context(), `SELECT 1`)
	found.Close()
	failed["query, at once"] = err
	for way, err := range failed {
		refusal, _ := errors.AsType[*fault.Error](err)
		if !errors.Is(err, postgres.ErrUnavailable) || refusal.Detail != "The service cannot reach its database. Try again shortly." {
			t.Errorf("%s: %v, want %v", way, err, postgres.ErrUnavailable)
		}
	}
}

func TestCutConnectionIsUnavailable_D19(t *testing.T) {
	t.Parallel()
	pool := postgrestest.New(t).Pool(t)
	for way, err := range asked(t.Context(), postgres.On(pool), `SELECT 1 FROM pg_terminate_backend(pg_backend_pid()), pg_sleep(60)`) {
		if !errors.Is(err, postgres.ErrUnavailable) {
			t.Errorf("%s: %v, want %v", way, err, postgres.ErrUnavailable)
		}
	}
}

func TestUniqueViolationIsARefusal(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	enginetest.Execute(t, db.AdminURL, `CREATE SCHEMA test; GRANT USAGE ON SCHEMA test TO frontdesk_app;
		CREATE TABLE test.notes (note text CONSTRAINT staff_username UNIQUE); GRANT ALL ON test.notes TO frontdesk_app;
		INSERT INTO test.notes VALUES ('a')`)
	for way, err := range asked(t.Context(), postgres.On(db.Pool(t)), `INSERT INTO test.notes (note) VALUES ('a') RETURNING 1`) {
		if !errors.Is(err, staff.ErrUsernameTaken) {
			t.Errorf("%s: %v, want %v", way, err, staff.ErrUsernameTaken)
		}
	}
}

func TestDeadlockIsAConflict(t *testing.T) {
	t.Parallel()
	e := enginetest.On(t, postgrestest.New(t).URL)
	const deadlock = `DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40P01'; END $$`
	for way, err := range asked(t.Context(), postgres.On(e.Pool), deadlock) {
		refused, _ := errors.AsType[*pgconn.PgError](err)
		if !errors.Is(err, event.ErrConflict) || refused == nil || refused.Code != "40P01" {
			t.Errorf("%s: %v, want %v with its cause", way, err, event.ErrConflict)
		}
	}
}

// Callers look for these themselves.
func TestOtherErrorsAreUnchanged(t *testing.T) {
	t.Parallel()
	db := postgres.On(postgrestest.New(t).Pool(t))
	if err := db.QueryRow(t.Context(), `SELECT 1 WHERE false`).Scan(new(int)); !errors.Is(err, pgx.ErrNoRows) {
		t.Errorf("no row: %v", err)
	}
	for way, err := range asked(t.Context(), db, `SELECT 1 / 0`) {
		refused, ok := errors.AsType[*pgconn.PgError](err)
		if _, judged := errors.AsType[*fault.Error](err); judged || !ok || refused.Code != "22012" {
			t.Errorf("%s: %v, want the division by zero", way, err)
		}
	}
	for way, err := range asked(t.Context(), db, `SELECT 1`) {
		if err != nil {
			t.Errorf("%s: %v", way, err)
		}
	}
}

func TestCancelledCallIsNoFault(t *testing.T) {
	t.Parallel()
	e := enginetest.On(t, postgrestest.New(t).URL)
	gone, leave := context.WithCancel(t.Context())
	leave()
	failed := asked(gone, postgres.On(e.Pool), `SELECT 1`)
	_, failed["load"] = e.Store.Load(gone, enginetest.NewStream())
	for way, err := range failed {
		if err == nil || errors.Is(err, postgres.ErrUnavailable) {
			t.Errorf("%s: %v", way, err)
		}
	}
}

func TestOtherRefusalsAreKept(t *testing.T) {
	t.Parallel()
	db := postgres.On(postgrestest.New(t).Pool(t))
	refusal := fault.New(fault.Forbidden, "unauthorized", "No.")
	err := db.InTx(t.Context(), pgx.TxOptions{}, func(pgx.Tx) error { return errors.Join(refusal, context.DeadlineExceeded) })
	if !errors.Is(err, refusal) || errors.Is(err, postgres.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
}
