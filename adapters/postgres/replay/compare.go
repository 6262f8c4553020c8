package replay

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/projections"
)

// Difference is between a live table and what the log says it should hold. A
// row that was changed counts on both sides.
type Difference struct {
	Projection string   `json:"projection"`
	Table      string   `json:"table"`
	Missing    int64    `json:"missing"` // rows that the log tells of and the table has not
	Strange    int64    `json:"strange"` // rows that the table has and the log does not tell of
	Keys       []string `json:"keys"`    // of the first few of either, as JSON
}

// forgetting is how long before its end a row may be gone already: the clocks
// of whoever deletes it and of whoever compares are not the same.
const forgetting = time.Minute

// pair is one table of the two schemas.
type pair struct {
	projections.Table
	shadow string
	keys   []string // columns of the primary key
	after  time.Time
}

func (s *Shadow) pairOf(ctx context.Context, tx pgx.Tx, table projections.Table, now time.Time) (p pair, err error) {
	p = pair{Table: table, shadow: s.schema}
	if table.Kept > 0 {
		p.after = now.Add(forgetting - table.Kept)
	}
	err = tx.QueryRow(ctx, `
		SELECT array_agg(a.attname::text ORDER BY array_position(i.indkey::int[], a.attnum::int))
		FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
		WHERE i.indrelid = $1::text::regclass AND i.indisprimary`, quoted(live, table.Name)).Scan(&p.keys)
	return p, err
}

// minus is the rows that the one schema's table has and the other's has not.
func (p pair) minus(one, other string) string {
	rows := func(schema string) string {
		text := `SELECT * FROM ` + quoted(schema, p.Name)
		if !p.after.IsZero() {
			text += ` WHERE ` + quoted(p.Age) + ` > '` + p.after.UTC().Format(time.RFC3339Nano) + `'`
		}
		return text
	}
	return rows(one) + ` EXCEPT ` + rows(other)
}

// keysOf are the columns of the primary key, each prefixed.
func (p pair) keysOf(prefix string) string {
	columns := make([]string, len(p.keys))
	for n, key := range p.keys {
		columns[n] = prefix + quoted(key)
	}
	return strings.Join(columns, ", ")
}

// count is how many rows a set has, and the keys of its first few.
func (p pair) count(ctx context.Context, tx pgx.Tx, set string, into *Difference) (n int64, err error) {
	var keys []string
	err = tx.QueryRow(ctx, `
		WITH d AS (`+set+`)
		SELECT (SELECT count(*) FROM d),
			ARRAY(SELECT to_jsonb(k)::text FROM (SELECT `+p.keysOf("")+` FROM d LIMIT 5) k)`).Scan(&n, &keys)
	into.Keys = append(into.Keys, keys...)
	return n, err
}

// compare is every difference between the shadow and the live tables, as the
// transaction sees both.
func (s *Shadow) compare(ctx context.Context, tx pgx.Tx, now time.Time) (found []Difference, err error) {
	for _, p := range s.projections {
		for _, table := range projections.TablesOf(p) {
			d, err := s.compareTable(ctx, tx, table, now)
			if err != nil {
				return nil, fmt.Errorf("compare table %s: %w", table.Name, err)
			}
			if d.Projection = p.Name(); d.Missing+d.Strange > 0 {
				found = append(found, d)
			}
		}
	}
	return found, nil
}

func (s *Shadow) compareTable(ctx context.Context, tx pgx.Tx, table projections.Table, now time.Time) (d Difference, err error) {
	d.Table = table.Name
	p, err := s.pairOf(ctx, tx, table, now)
	if err == nil {
		d.Missing, err = p.count(ctx, tx, p.minus(p.shadow, live), &d)
	}
	if err == nil {
		d.Strange, err = p.count(ctx, tx, p.minus(live, p.shadow), &d)
	}
	return d, err
}

// mend makes a live table what the log says: only rows that differ are
// touched, so that readers wait for nothing and little is left to vacuum.
func (s *Shadow) mend(ctx context.Context, tx pgx.Tx, table projections.Table, now time.Time) error {
	p, err := s.pairOf(ctx, tx, table, now)
	if err != nil {
		return fmt.Errorf("mend table %s: %w", table.Name, err)
	}
	for _, statement := range []string{
		`DELETE FROM ` + quoted(live, p.Name) + ` t WHERE (` + p.keysOf("t.") + `) IN (SELECT ` + p.keysOf("d.") + ` FROM (` + p.minus(live, p.shadow) + `) d)`,
		`INSERT INTO ` + quoted(live, p.Name) + ` ` + p.minus(p.shadow, live),
	} {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return fmt.Errorf("mend table %s: %w", table.Name, err)
		}
	}
	return nil
}
