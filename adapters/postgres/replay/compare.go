package replay

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/projections"
)

// Difference is how a live table differs from the log. A row with other contents counts
// both as missing and as strange.
type Difference struct {
	Projection string   `json:"projection"`
	Table      string   `json:"table"`
	Missing    int64    `json:"missing"` // rows that should be in the table and are not
	Strange    int64    `json:"strange"` // rows that are in the table but should not be
	Keys       []string `json:"keys"`    // primary keys of the first few, as JSON
}

// errOnlyLooked rolls back a comparison's additions to the shadow.
var errOnlyLooked = errors.New("only looked")

// look compares all tables in one snapshot. It returns the head of the log in that
// snapshot, and the differences.
func (r *Rebuild) look(ctx context.Context, s *Shadow) (idx int64, found []Difference, err error) {
	if err := s.clearNotes(ctx); err != nil {
		return 0, nil, err
	}
	err = s.db.InTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		if idx, err = r.catchUp(ctx, tx, s); err != nil {
			return err
		}
		if err := s.unsequenced(ctx, tx, r.Log); err != nil {
			return err
		}
		for _, p := range s.projections {
			for _, table := range projections.TablesOf(p) {
				if err := r.note(ctx, tx, s, p.Name(), table); err != nil {
					return fmt.Errorf("compare table %s: %w", table.Name, err)
				}
			}
		}
		return errOnlyLooked
	})
	if !errors.Is(err, errOnlyLooked) {
		return idx, nil, err
	}
	found, err = s.noted(ctx)
	return idx, found, err
}

// note writes the keys of the rows that differ into the table of notes. It uses another
// connection, because the transaction that sees the rows will be rolled back.
func (r *Rebuild) note(ctx context.Context, tx pgx.Tx, s *Shadow, projection string, table projections.Table) error {
	p, err := s.pairOf(ctx, tx, table, r.Now())
	if err != nil {
		return err
	}
	rows, err := tx.Query(ctx, p.differing(), s.run, projection, table.Name)
	if err != nil {
		return err
	}
	defer rows.Close()
	_, err = r.Pool.CopyFrom(ctx, pgx.Identifier{s.schema, notes},
		[]string{"run", "projection", "of_table", "key", "missing", "strange"}, rows)
	return err
}

// notes is the table with a line for each row that differs, with its key. Each run
// reads only its own, so that notes of an interrupted run cannot interfere.
const notes = "differing"

// makeNotes creates the table of notes, and deletes those of earlier runs.
func (s *Shadow) makeNotes(ctx context.Context) error {
	table := quoted(s.schema, notes)
	for _, statement := range []string{
		`DROP TABLE IF EXISTS ` + table,
		`CREATE TABLE ` + table + ` (
			n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run uuid NOT NULL,
			projection text NOT NULL, of_table text NOT NULL, key text NOT NULL, missing bool NOT NULL, strange bool NOT NULL)`,
	} {
		if _, err := s.db.Exec(ctx, statement); err != nil {
			return fmt.Errorf("make room for notes: %w", err)
		}
	}
	return nil
}

// clearNotes deletes the notes of this run's last look.
func (s *Shadow) clearNotes(ctx context.Context) error {
	if _, err := s.db.Exec(ctx, `DELETE FROM `+quoted(s.schema, notes)+` WHERE run = $1`, s.run); err != nil {
		return fmt.Errorf("clear notes: %w", err)
	}
	return nil
}

// noted sums the notes up, table by table.
func (s *Shadow) noted(ctx context.Context) ([]Difference, error) {
	table := quoted(s.schema, notes)
	if _, err := s.db.Exec(ctx, `ANALYZE `+table); err != nil {
		return nil, fmt.Errorf("count notes: %w", err)
	}
	rows, _ := s.db.Query(ctx, `
		SELECT projection, of_table, count(*) FILTER (WHERE missing), count(*) FILTER (WHERE strange),
			ARRAY (SELECT key FROM `+table+` WHERE run = $1 AND of_table = d.of_table ORDER BY n LIMIT 10)
		FROM `+table+` d WHERE run = $1 GROUP BY projection, of_table ORDER BY min(n)`, s.run)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Difference])
	if err != nil {
		return nil, fmt.Errorf("read notes: %w", err)
	}
	return found, nil
}

// forgetting is the tolerance for rows that were deleted early, because the machine
// that deletes rows and the one that compares have different clocks.
const forgetting = time.Minute

// pair is a live table and its shadow.
type pair struct {
	projections.Table
	shadow string
	keys   []string  // columns of the primary key
	after  time.Time // older rows may have been deleted and are ignored; zero if all rows stay
}

func (s *Shadow) pairOf(ctx context.Context, tx pgx.Tx, table projections.Table, now time.Time) (p pair, err error) {
	p = pair{Table: table, shadow: s.schema}
	if table.Kept > 0 {
		p.after = now.Add(forgetting - table.Kept)
	}
	p.keys, err = primaryKey(ctx, tx, table.Name)
	return p, err
}

// primaryKey returns the columns of a table's primary key.
func primaryKey(ctx context.Context, tx pgx.Tx, table string) (columns []string, err error) {
	err = tx.QueryRow(ctx, `
		SELECT array_agg(a.attname::text ORDER BY array_position(i.indkey::int[], a.attnum::int))
		FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
		WHERE i.indrelid = $1::text::regclass AND i.indisprimary`, quoted(live, table)).Scan(&columns)
	return columns, err
}

// differing returns the query for the keys of rows that differ, and whether each is
// missing or strange. Rows that should not exist come first, because they may conflict
// with rows that should.
func (p pair) differing() string {
	counts := func(side string) string {
		condition := side + `.` + quoted(p.keys[0]) + ` IS NOT NULL`
		if !p.after.IsZero() {
			condition += ` AND ` + side + `.` + quoted(p.Age) + ` > '` + p.after.UTC().Format(time.RFC3339Nano) + `'`
		}
		return condition
	}
	columns, key := make([]string, len(p.keys)), make([]string, len(p.keys))
	for n, column := range p.keys {
		columns[n] = quoted(column)
		key[n] = `'` + column + `', ` + columns[n]
	}
	return `
		SELECT $1::uuid, $2::text, $3::text, jsonb_build_object(` + strings.Join(key, `, `) + `)::text, missing, strange
		FROM ` + quoted(live, p.Name) + ` l FULL JOIN ` + quoted(p.shadow, p.Name) + ` s USING (` + strings.Join(columns, `, `) + `)
		CROSS JOIN LATERAL (SELECT ` + counts("s") + ` AS missing, ` + counts("l") + ` AS strange) side
		WHERE l IS DISTINCT FROM s AND (missing OR strange)
		ORDER BY missing`
}
