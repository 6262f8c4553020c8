package replay

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// notes is the table of rows that differ: a line for each, by its key.
const notes = "differing"

// clearNotes makes the table, empty.
func (s *Shadow) clearNotes(ctx context.Context) error {
	table := quoted(s.schema, notes)
	for _, statement := range []string{
		`CREATE TABLE IF NOT EXISTS ` + table + ` (
			n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
			projection text NOT NULL, of_table text NOT NULL, key text NOT NULL, missing bool NOT NULL, strange bool NOT NULL)`,
		`TRUNCATE ` + table + ` RESTART IDENTITY`,
	} {
		if _, err := s.conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("make room for notes: %w", err)
		}
	}
	return nil
}

// noted is the notes in short, table by table.
func (s *Shadow) noted(ctx context.Context) ([]Difference, error) {
	table := quoted(s.schema, notes)
	if _, err := s.conn.Exec(ctx, `ANALYZE `+table); err != nil {
		return nil, fmt.Errorf("count notes: %w", err)
	}
	rows, _ := s.conn.Query(ctx, `
		SELECT projection, of_table, count(*) FILTER (WHERE missing), count(*) FILTER (WHERE strange),
			ARRAY (SELECT key FROM `+table+` WHERE of_table = d.of_table ORDER BY n LIMIT 10)
		FROM `+table+` d GROUP BY projection, of_table ORDER BY min(n)`)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Difference])
	if err != nil {
		return nil, fmt.Errorf("read notes: %w", err)
	}
	return found, nil
}

// replace puts the rows of the shadow that were noted in place of the live ones.
func (s *Shadow) replace(ctx context.Context, tx pgx.Tx, name string) error {
	keys, err := primaryKey(ctx, tx, name)
	if err != nil {
		return err
	}
	same := make([]string, len(keys))
	for n, key := range keys {
		same[n] = `t.` + quoted(key) + ` = k.` + quoted(key)
	}
	table := quoted(live, name)
	which := quoted(s.schema, notes) + ` d CROSS JOIN LATERAL jsonb_populate_record(NULL::` + table + `, d.key::jsonb) k
		WHERE d.of_table = $1 AND ` + strings.Join(same, ` AND `)
	for _, statement := range []string{
		`DELETE FROM ` + table + ` t USING ` + which,
		`INSERT INTO ` + table + ` SELECT t.* FROM ` + quoted(s.schema, name) + ` t, ` + which,
	} {
		if _, err := tx.Exec(ctx, statement, name); err != nil {
			return err
		}
	}
	return nil
}
