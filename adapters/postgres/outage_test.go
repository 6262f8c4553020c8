package postgres_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
)

// longEnough is an outage that is still short when a test on a busy machine ends it.
const longEnough = time.Hour

func TestReadsOutlastShortOutage_D48(t *testing.T) {
	t.Parallel()
	l := newLink(t, postgrestest.New(t))
	db := postgres.Bridging(l.pool, longEnough)
	if err := db.QueryRow(t.Context(), `SELECT 1`).Scan(new(int)); err != nil {
		t.Fatal(err)
	}
	l.set(gone)
	var readers sync.WaitGroup
	for n := range 64 {
		readers.Go(func() {
			found, _ := db.Query(t.Context(), `SELECT generate_series(1, $1)`, n)
			got, err := pgx.CollectRows(found, pgx.RowTo[int])
			if err != nil || len(got) != n {
				t.Errorf("reader %d has %d rows: %v", n, len(got), err)
			}
		})
	}
	clocktest.Eventually(t, func() bool { return l.refusals() > 64 }, "a caller asks again")
	l.set(whole)
	readers.Wait()
}

func TestAChangeWaitsForAConnection_D48(t *testing.T) {
	t.Parallel()
	l, seen := linkToTable(t)
	l.set(gone)
	var group sync.WaitGroup
	group.Go(func() {
		if _, err := postgres.Bridging(l.pool, longEnough).Exec(t.Context(), insertSeen); err != nil {
			t.Error(err)
		}
	})
	clocktest.Eventually(t, func() bool { return l.refusals() > 2 }, "a caller asks again")
	l.set(whole)
	group.Wait()
	if n := seen(); n != 1 {
		t.Errorf("stored %d times, want once", n)
	}
}

// The answer is lost, and the change is not. Only the caller, who may have sent an
// Idempotency-Key, can decide whether to send it again.
func TestAChangeIsSentOnce_D48(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(context.Context, postgres.DB) error{
		"statement": func(ctx context.Context, db postgres.DB) error {
			_, err := db.Exec(ctx, insertSeen)
			return err
		},
		"batch": func(ctx context.Context, db postgres.DB) error {
			batch := &pgx.Batch{}
			batch.Queue(insertSeen)
			return db.ExecBatch(ctx, batch)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, seen := linkToTable(t)
			db := postgres.ForCallers(l.pool)
			if err := change(t.Context(), db); err != nil { // from now on the statement is prepared
				t.Fatal(err)
			}
			l.set(mute)
			if err := change(t.Context(), db); !errors.Is(err, postgres.ErrUnavailable) {
				t.Errorf("the answer was lost: %v", err)
			}
			clocktest.Eventually(t, func() bool { return seen() == 2 }, "the change is made")
			if err := change(t.Context(), db); err != nil {
				t.Error(err)
			}
			if n := seen(); n != 3 {
				t.Errorf("three changes are stored %d times", n)
			}
		})
	}
}

// A commit is a change like any other.
func TestATransactionIsTakenOnce_D48(t *testing.T) {
	t.Parallel()
	l, seen := linkToTable(t)
	taken := 0
	err := postgres.ForCallers(l.pool).InTx(t.Context(), pgx.TxOptions{}, func(tx pgx.Tx) error {
		taken++
		_, err := tx.Exec(t.Context(), insertSeen)
		l.set(mute)
		return err
	})
	if !errors.Is(err, postgres.ErrUnavailable) || taken != 1 {
		t.Errorf("taken %d times: %v", taken, err)
	}
	clocktest.Eventually(t, func() bool { return seen() == 1 }, "the change is made")
}

func TestAFrozenDatabaseIsUnavailable_D48(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes ten seconds; make test runs it")
	}
	t.Parallel()
	l := newLink(t, postgrestest.New(t))
	db := postgres.ForCallers(l.pool)
	if err := db.QueryRow(t.Context(), `SELECT 1`).Scan(new(int)); err != nil {
		t.Fatal(err)
	}
	l.set(frozen)
	var callers sync.WaitGroup
	for way, ask := range ways(`SELECT 1`) {
		callers.Go(func() {
			if err := ask(t.Context(), db); !errors.Is(err, postgres.ErrUnavailable) {
				t.Errorf("%s: %v", way, err)
			}
		})
	}
	callers.Wait()
}

const insertSeen = `INSERT INTO seen DEFAULT VALUES`

// linkToTable returns a link to a database with a table, and a function that counts its rows
// past the link.
func linkToTable(t *testing.T) (l *link, seen func() int) {
	t.Helper()
	db := postgrestest.New(t)
	admin := db.AdminPool(t)
	if _, err := admin.Exec(t.Context(), `CREATE TABLE seen (n serial); GRANT ALL ON seen, seen_n_seq TO frontdesk_app`); err != nil {
		t.Fatal(err)
	}
	return newLink(t, db), func() int { return count(t, admin, "seen") }
}

func count(t *testing.T, pool *pgxpool.Pool, table string) (n int) {
	t.Helper()
	if err := pool.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
