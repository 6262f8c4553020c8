package retention_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
)

// A reader of a month delays its archiving, and blocks no one else.
func TestAReaderIsWaitedForWhileCallsGoOn_D54(t *testing.T) {
	t.Parallel()
	o := aged(t, september)
	reader, err := o.db.Pool(t).Begin(t.Context())
	must(t, err)
	_, err = reader.Exec(t.Context(), `SELECT FROM access_record`)
	must(t, err)
	waits, done := make(chan string, 100), make(chan error, 1)
	o.Tell = func(text string) { waits <- text }
	go func() { done <- o.Run(context.WithoutCancel(t.Context())) }()
	if told := <-waits; !strings.Contains(told, "user frontdesk_app") {
		t.Errorf("told is %q", told)
	}
	o.calls(day(2026, 9, 20))
	must(t, reader.Rollback(t.Context()))
	must(t, <-done)
	o.wantMonths("access_record", map[string]int{"2026_07": 2, "2026_08": 2, "2026_09": 1, "2026_10": 0, "2026_11": 0, "default": 0})
}

func TestTwoRunsAreNotAtItAtOnce_D72(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	other, err := postgres.NewAdvisoryLock(t.Context(), o.owner, postgres.RetentionLock, "frontdesk retain")
	must(t, err)
	if held, err := other.Try(t.Context()); err != nil || !held {
		t.Fatal(held, err)
	}
	if err := o.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "Another retain is running: pid ") {
		t.Errorf("a second run says %v", err)
	}
	must(t, other.Release(t.Context()))
	o.run()
}

func TestPartitionCannotBeChanged_D72(t *testing.T) {
	t.Parallel()
	o := aged(t, september)
	for _, table := range []string{"access_record", "delivered"} {
		for _, part := range []string{"", "_default", "_until_2026_05", "_2026_08"} {
			for _, change := range []string{`DELETE FROM %s`, `TRUNCATE %s`, `UPDATE %s SET tenant = 'oak'`} {
				statement := fmt.Sprintf(change, table+part)
				if _, err := o.owner.Exec(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "append-only") {
					t.Errorf("a slip of the owner, %s: %v", statement, err)
				}
				if _, err := o.db.Pool(t).Exec(t.Context(), statement); err == nil {
					t.Errorf("the serving role may %s", statement)
				}
			}
			var writes, reads bool
			must(t, o.owner.QueryRow(t.Context(), `SELECT has_table_privilege('frontdesk_app', $1, 'INSERT'), has_table_privilege('frontdesk_audit', $1, 'SELECT')`, table+part).Scan(&writes, &reads))
			if writes != (part == "") || !reads {
				t.Errorf("%s: the serving role may write: %t, auditors may read: %t", table+part, writes, reads)
			}
		}
	}
}

// Even a superuser's run creates objects of the owner (D51).
func TestNewObjectsBelongToOwner_D51(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.calls(day(2026, 3, 1))
	o.Pool = o.db.SuperuserPool(t)
	o.run()
	if err := postgres.CheckOwner(t.Context(), postgres.On(o.owner)); err != nil {
		t.Errorf("partitions: %v", err)
	}
}

// Lines that arrive while partitions are exchanged are in one of them.
func TestNoLineIsLostMeanwhile_D72(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.TakeAllForLarge()
	service, stop, written := o.db.Pool(t), make(chan struct{}), make(chan int)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				written <- n
				return
			default:
			}
			at := day(2026, 3, 1).Add(time.Duration(n) * time.Second)
			_, err := service.Exec(context.WithoutCancel(t.Context()), `
				INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, status, code, reason, token_hash)
				VALUES ($1, $2, 'elm', gen_random_uuid(), 'application-restricted', 'ping', 200, '', '', '\x00') ON CONFLICT (request_id) DO NOTHING`, o.minted(at), at)
			if err != nil {
				t.Errorf("a line is refused: %v", err)
			}
		}
	}()
	for range 4 {
		o.run()
		o.now = o.now.AddDate(0, 3, 0)
	}
	close(stop)
	if n := <-written; n != len(o.all("access_record", "request_id")) || n == 0 {
		t.Errorf("%d lines were written, %d are there", n, len(o.all("access_record", "request_id")))
	}
}

// Postgres scans a large table while calls continue, and relies on that when they have
// to wait.
func TestLargeTableScanBlocksNoWriter_D54(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.TakeAllForLarge()
	o.calls(day(2026, 3, 1))
	config, err := pgxpool.ParseConfig(o.db.AdminURL)
	must(t, err)
	var mu sync.Mutex
	implied := map[string]bool{}
	config.ConnConfig.RuntimeParams["client_min_messages"] = "debug1"
	config.ConnConfig.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(n.Message, "is implied by existing constraints") {
			implied[strings.Split(n.Message, `"`)[1]] = true
		}
	}
	o.Pool, err = pgxpool.NewWithConfig(t.Context(), config)
	must(t, err)
	defer o.Pool.Close()
	o.run()
	mu.Lock()
	defer mu.Unlock()
	if !implied["access_record_until_2026_05"] {
		t.Errorf("proven before is %v", implied)
	}
}
