//go:build prove

package trouble_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
)

// oddSettings are a database's settings that suit no one. A guarantee must not depend on any
// of them.
var oddSettings = []string{
	"enable_indexonlyscan = off",
	"enable_hashjoin = off",
	"plan_cache_mode = force_custom_plan",
	"join_collapse_limit = 1",
	"lock_timeout = '300ms'",
	"statement_timeout = '2s'",
	"idle_in_transaction_session_timeout = '200ms'",
	"default_transaction_deferrable = on",
	"vacuum_freeze_min_age = 0",
	"commit_delay = 20000",
	"work_mem = '64kB'",
	"DateStyle = 'SQL, DMY'",
	"TimeZone = 'Pacific/Apia'",
	"IntervalStyle = sql_standard",
	"bytea_output = escape",
	"from_collapse_limit = 1",
	"extra_float_digits = 0",
	"default_transaction_isolation = 'repeatable read'",
	"default_transaction_isolation = serializable",
}

// tables are locked by maintenance and strangers.
var tables = []string{"events", "log", "sequencer", "feed_offsets", "deliveries"}

// lock holds a lock on a table for a while, as a careless operator would.
func (w *world) lock(ctx context.Context, d *rand.Rand) error {
	mode := pick(d, []string{"SHARE", "SHARE ROW EXCLUSIVE", "EXCLUSIVE", "ACCESS EXCLUSIVE"})
	return w.hold(ctx, upTo(d, 800*time.Millisecond), fmt.Sprintf(`LOCK TABLE %s IN %s MODE`, pick(d, tables), mode))
}

// stampede locks a table for moments, so that all who wait for it start off together.
func (w *world) stampede(ctx context.Context, d *rand.Rand) error {
	statement := `LOCK TABLE ` + pick(d, tables) + ` IN ACCESS EXCLUSIVE MODE`
	for range 5 + d.IntN(20) {
		if err := w.hold(ctx, upTo(d, 60*time.Millisecond), statement); err != nil {
			return err
		}
		wait(ctx, upTo(d, 30*time.Millisecond))
	}
	return nil
}

// lockRow holds the row that elects the sequencer, or a consumer's.
func (w *world) lockRow(ctx context.Context, d *rand.Rand) error {
	return w.hold(ctx, upTo(d, 800*time.Millisecond), fmt.Sprintf(`SELECT FROM %s FOR UPDATE`, pick(d, []string{"sequencer", "feed_offsets"})))
}

// hold keeps the locks of a statement.
func (w *world) hold(ctx context.Context, d time.Duration, statement string) error {
	conn, err := pgx.Connect(ctx, w.cluster.admin())
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, statement)
		wait(ctx, d)
		return err
	})
}

// maintain runs the nightly maintenance of databases.
func (w *world) maintain(ctx context.Context, d *rand.Rand) error {
	table := pick(d, tables)
	return w.cluster.do(ctx, pick(d, []string{
		`VACUUM FULL ` + table, `VACUUM FULL ` + table, `VACUUM (FREEZE, ANALYZE) ` + table, `REINDEX TABLE ` + table,
		`ANALYZE`, `CHECKPOINT`, `SELECT pg_switch_wal()`,
	}))
}

// burn draws positions that no event will ever fill.
func (w *world) burn(ctx context.Context, d *rand.Rand) error {
	return w.cluster.do(ctx, `SELECT count(nextval(pg_get_serial_sequence('events', 'position'))) FROM generate_series(1, $1)`, 1+d.IntN(2000))
}

// one asks for a number.
func (w *world) one(ctx context.Context, question string, salt int64) (n int, err error) {
	conn, err := pgx.Connect(ctx, w.cluster.admin())
	if err != nil {
		return 0, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	err = conn.QueryRow(ctx, question, fmt.Sprint(salt)).Scan(&n)
	return n, err
}
