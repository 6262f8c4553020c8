package retention

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// lacking lists the partitions without an index that their table has, and the statement
// that creates it while calls continue. A migration leaves it to this if the partition
// is too large to be scanned quickly (D91).
const lacking = `
SELECT part.relname || substr(whole.relname, length(parent.relname) + 1), whole.relname,
	regexp_replace(pg_get_indexdef(i.indexrelid), '^CREATE INDEX \S+ ON ONLY \S+',
		format('CREATE INDEX CONCURRENTLY %I ON %s', part.relname || substr(whole.relname, length(parent.relname) + 1), part.oid::regclass))
FROM pg_index i JOIN pg_class whole ON whole.oid = i.indexrelid JOIN pg_class parent ON parent.oid = i.indrelid
JOIN pg_inherits h ON h.inhparent = parent.oid JOIN pg_class part ON part.oid = h.inhrelid
WHERE parent.oid = to_regclass($1) AND NOT i.indisunique AND NOT EXISTS (
	SELECT FROM pg_inherits has JOIN pg_index p ON p.indexrelid = has.inhrelid WHERE has.inhparent = i.indexrelid AND p.indrelid = part.oid)
ORDER BY part.relname`

// index is a missing index.
type index struct{ Name, Whole, Making string }

// indexes creates them. It runs before anything is attached, because that would create
// them under a lock.
func (r *Retain) indexes(ctx context.Context) error {
	for _, rec := range records {
		rows, _ := r.db().Query(ctx, lacking, rec.table)
		found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[index])
		if err != nil {
			return fmt.Errorf("look for indexes that %s lacks: %w", rec.table, err)
		}
		for _, i := range found {
			if err := r.index(ctx, i); err != nil {
				return fmt.Errorf("make the index %s: %w", i.Name, err)
			}
			r.Say(fmt.Sprintf("%s: index %s is there", rec.table, i.Name))
		}
	}
	return nil
}

// index creates one, again if an earlier run was stopped while creating it.
func (r *Retain) index(ctx context.Context, i index) error {
	name := pgx.Identifier{i.Name}.Sanitize()
	for _, statement := range []string{`DROP INDEX CONCURRENTLY IF EXISTS ` + name, i.Making} {
		if _, err := r.Pool.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return r.change(ctx, func(tx pgx.Tx) error {
		return execute(ctx, tx, fmt.Sprintf(`ALTER INDEX %s ATTACH PARTITION %s`, pgx.Identifier{i.Whole}.Sanitize(), name))
	})
}
