package retention

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
)

// rewritten are the tables that hold keys and names of persons. Postgres leaves deleted and
// changed rows in their pages until others overwrite them, also after VACUUM.
var rewritten = []string{"personal_keys", "staff"}

// rewriteLimit is the size of the largest table that is rewritten. It takes about a second,
// and calls wait.
const rewriteLimit = 64 << 20

// rewrite rewrites tables if someone was erased since it last did, so that their files hold
// no deleted rows.
func (r *Retain) rewrite(ctx context.Context) error {
	for _, table := range rewritten {
		if err := r.rewriteTable(ctx, table); err != nil {
			return fmt.Errorf("rewrite %s: %w", table, err)
		}
	}
	return nil
}

func (r *Retain) rewriteTable(ctx context.Context, table string) error {
	var erasures, size int64
	var due bool
	err := r.db().QueryRow(ctx, `SELECT count(*), count(*) > coalesce((SELECT t.erasures FROM table_rewrites t WHERE t.name = $1), 0), pg_total_relation_size($1::regclass)
		FROM erasures`, table).Scan(&erasures, &due, &size)
	if err != nil || !due {
		return err
	}
	if size > rewriteLimit {
		r.Say(fmt.Sprintf("%s: too large to be rewritten while calls go on (%d MiB): deleted rows stay in its file until others overwrite them", table, size>>20))
		return nil
	}
	locks := postgres.Locks{DB: r.db(), As: sessionName, Limit: r.Wait, Tell: r.Tell}
	if err := locks.Ask(ctx, func(ctx context.Context) error { return r.vacuumFull(ctx, table) }); err != nil {
		return err
	}
	_, err = r.db().Exec(ctx, `INSERT INTO table_rewrites (name, erasures) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET erasures = excluded.erasures`, table, erasures)
	if err != nil {
		return err
	}
	r.Say(table + ": rewritten, without the rows that erasures have deleted")
	return nil
}

// vacuumFull rewrites a table. VACUUM cannot run in a transaction, so the settings are of
// the session, which ends with it.
func (r *Retain) vacuumFull(ctx context.Context, table string) error {
	conn, err := r.Pool.Acquire(ctx)
	if err != nil {
		return err
	}
	session := conn.Hijack()
	defer func() { _ = session.Close(context.WithoutCancel(ctx)) }()
	for _, statement := range []string{
		`SELECT set_config('lock_timeout', '` + postgres.BriefLock + `', false), set_config('application_name', '` + sessionName + `', false)`,
		`VACUUM (FULL) ` + pgx.Identifier{table}.Sanitize(),
	} {
		if _, err := session.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
