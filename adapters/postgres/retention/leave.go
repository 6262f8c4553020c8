package retention

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/domain/fault"
	"frontdesk/domain/proof"
)

// leaving is a partition of the access record that is being archived, with the state to
// continue without it.
type leaving struct {
	partition
	head     int64                 // the highest number of all lines at that moment
	archived int64                 // lines up to this number are archived
	kept     int64                 // and up to this one afterwards
	last     map[string]int64      // the highest number in it for each tree
	trees    map[string]proof.Edge // at kept, when done
}

// numbersAtOnce is how many numbers one short transaction assigns.
const numbersAtOnce = 10_000

// leave writes a partition of the access record to a file that can be verified, and
// detaches it. Until the file is on disk, nothing changes. Then one transaction changes
// everything, so that a reader by numbers finds each line, or learns that it is
// archived.
func (r *Retain) leave(ctx context.Context, rec record, p partition) error {
	if r.Dir == "" {
		return ErrNoDir
	}
	l, err := r.look(ctx, p)
	if err != nil {
		return err
	}
	file, err := r.draft(archiveOf(rec, p), func(w *packer) error { return r.pieces(ctx, &l, w) })
	if err != nil {
		return err
	}
	if err := l.whole(ctx, r.db(), file.Lines); err != nil {
		return err
	}
	if err := r.change(ctx, func(tx pgx.Tx) error { return r.part(ctx, tx, rec, l, file) }); err != nil {
		return err
	}
	return r.pass(detached)
}

// firstKept is the number before the first line that stays, after the archived ones.
const firstKept = `
SELECT idx, coalesce((SELECT l.idx FROM access_log l WHERE l.idx > archived AND NOT (request_id >= $1 AND request_id < $2)
	AND (leaf IS NULL OR EXISTS (SELECT FROM access_record r WHERE r.request_id = l.request_id)) ORDER BY l.idx LIMIT 1) - 1, idx)
FROM access_head`

// treesLeft are the trees of the lines in the partition, and of those archived before
// with no earlier lines left.
const treesLeft = `
SELECT tree, max(idx) FROM (SELECT tree, idx FROM access_log WHERE request_id >= $1 AND request_id < $2
	UNION ALL SELECT tree, idx FROM access_log WHERE idx > $3 AND idx <= $4) l
WHERE idx > $3 GROUP BY tree`

// look reads the state of the partition.
func (r *Retain) look(ctx context.Context, p partition) (leaving, error) {
	l := leaving{partition: p, last: map[string]int64{}}
	record := accesslog.Record{DB: r.db()}
	for more := int64(1); more > 0; {
		var err error
		if more, err = record.Number(ctx, numbersAtOnce); err != nil {
			return l, err
		}
	}
	kept, err := record.Kept(ctx)
	if err != nil {
		return l, err
	}
	l.archived, l.trees = kept.Idx, kept.Trees
	err = r.db().QueryRow(ctx, firstKept, p.From, p.To).Scan(&l.head, &l.kept)
	if err != nil {
		return l, fmt.Errorf("look for the first line that stays: %w", err)
	}
	if err := r.proved(ctx, l.kept); err != nil {
		return l, err
	}
	rows, _ := r.db().Query(ctx, treesLeft, p.From, p.To, l.archived, l.kept)
	var tree string
	var last int64
	if _, err := pgx.ForEachRow(rows, []any{&tree, &last}, func() error { l.last[tree] = last; return nil }); err != nil {
		return l, fmt.Errorf("look for the lines that leave: %w", err)
	}
	return l, nil
}

// proved refuses to remove lines before they are in the trees, which could not be built
// without them.
func (r *Retain) proved(ctx context.Context, upTo int64) error {
	var reached int64
	if err := r.db().QueryRow(ctx, `SELECT idx FROM prover WHERE kind = $1`, proof.Access).Scan(&reached); err != nil {
		return fmt.Errorf("ask how far the trees are: %w", err)
	}
	if reached < upTo {
		return errBehind
	}
	return nil
}

var errBehind = fault.New(fault.Conflict, "not-in-trees-yet", "Lines of the access record are not in its trees yet: let frontdesk serve run, and try again in a minute.")

// order returns the trees in the order of the file.
func (l *leaving) order() (trees []string) {
	for tree := range l.last {
		trees = append(trees, tree)
	}
	slices.Sort(trees)
	return trees
}

// whole returns an error unless all lines of the partition are in the file.
func (l *leaving) whole(ctx context.Context, db postgres.DB, lines int64) error {
	var total int64
	if err := db.QueryRow(ctx, `SELECT count(*) FROM `+l.Name).Scan(&total); err != nil {
		return fmt.Errorf("count the lines: %w", err)
	}
	if total != lines {
		return fmt.Errorf("%d lines are in it, and %d of them have numbers: docs/privacy/archives.md says what to do", total, lines)
	}
	return nil
}

// linesLate finds lines of a partition with a later number, or without one yet.
const linesLate = `
SELECT EXISTS (SELECT FROM (SELECT request_id FROM access_log WHERE idx > $3 UNION ALL SELECT request_id FROM access_waiting OFFSET 0) l
WHERE request_id >= $1 AND request_id < $2)`

// part detaches the partition, and moves the beginning of the trees. It locks the head
// first, as the numbering does, so that neither blocks the other.
func (r *Retain) part(ctx context.Context, tx pgx.Tx, rec record, l leaving, file manifest) error {
	if _, err := tx.Exec(ctx, `UPDATE access_head SET archived = $1`, l.kept); err != nil {
		return err
	}
	var trees []string
	var sizes []int64
	var edges [][]byte
	for tree, edge := range l.trees {
		trees, sizes, edges = append(trees, tree), append(sizes, edge.Size), append(edges, edge.Bytes())
	}
	_, err := tx.Exec(ctx, `INSERT INTO archived_trees (tenant, size, edge) SELECT * FROM unnest($1::text[], $2::bigint[], $3::bytea[])
		ON CONFLICT (tenant) DO UPDATE SET size = excluded.size, edge = excluded.edge`, trees, sizes, edges)
	if err != nil {
		return err
	}
	if err := r.out(ctx, tx, rec, l.partition, new(file.SHA256.String())); err != nil {
		return err
	}
	var more bool
	if err := tx.QueryRow(ctx, linesLate, l.From, l.To, l.head).Scan(&more); err != nil || !more {
		return err
	}
	return errLate
}

var errLate = errors.New("lines of it have come meanwhile: run this again")

// forget deletes the numbers of archived lines, a few at a time.
func (r *Retain) forget(ctx context.Context) error {
	for {
		done, err := r.Pool.Exec(ctx, `DELETE FROM access_log WHERE idx IN (
			SELECT idx FROM access_log WHERE idx <= (SELECT archived FROM access_head) ORDER BY idx LIMIT $1)`, numbersAtOnce)
		if err != nil {
			return fmt.Errorf("forget the numbers of lines that are archived: %w", err)
		}
		if done.RowsAffected() < numbersAtOnce {
			return nil
		}
	}
}
