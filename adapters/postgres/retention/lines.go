package retention

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/proof/export"
)

// linesAtOnce are read in one short transaction, so that VACUUM can continue.
const linesAtOnce = 10_000

// packer writes the lines of a file, compressed.
type packer struct {
	to                    *gzip.Writer
	lines, others, hashes int64 // numbers of each
	pieces                []export.Piece
	text                  []byte // of the last line
}

func (w *packer) write(text []byte, err error) error {
	if err != nil {
		return err
	}
	w.text = text
	_, err = w.to.Write(text)
	return err
}

// line writes a line in full.
func (w *packer) line(l export.AccessLine) error {
	w.lines++
	return w.write(l.Append(w.text[:0]))
}

// staying writes a line that stays in the database, without its texts.
func (w *packer) staying(l export.AccessLine) error {
	w.others++
	return w.write(l.Append(w.text[:0]))
}

// hash writes the hash of a line that an earlier archive has.
func (w *packer) hash(l export.HashLine) error {
	w.hashes++
	return w.write(l.Append(w.text[:0]))
}

// lines writes the lines of a partition, in the order of their key.
func (r *Retain) lines(ctx context.Context, a archive, w *packer) error {
	key := records[slices.IndexFunc(records, func(r record) bool { return r.table == a.Record })].key
	for last := []uuid.UUID(nil); ; {
		page, err := r.page(ctx, a.Name, key, last)
		if err != nil {
			return fmt.Errorf("read %s: %w", a.Name, err)
		}
		for _, line := range page {
			if _, err := io.WriteString(w.to, line.Text+"\n"); err != nil {
				return err
			}
		}
		w.lines += int64(len(page))
		if len(page) < linesAtOnce {
			return nil
		}
		last = page[len(page)-1].Key
	}
}

// line is one row, as JSON with the names of its columns.
type line struct {
	Key  []uuid.UUID
	Text string
}

// page returns the lines after a key, with all columns of the table.
func (r *Retain) page(ctx context.Context, table string, key []string, after []uuid.UUID) (page []line, err error) {
	columns, condition, args := strings.Join(key, ", "), "", []any{linesAtOnce}
	if after != nil {
		condition = fmt.Sprintf("WHERE (%s) > (%s)", columns, strings.Join([]string{"$2", "$3"}[:len(key)], ", "))
		for _, id := range after {
			args = append(args, id)
		}
	}
	err = r.db().InTx(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if err := execute(ctx, tx, `SET LOCAL timezone = 'UTC'`); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, fmt.Sprintf(`SELECT ARRAY[%[1]s], row_to_json(%[2]s)::text FROM %[2]s %[3]s ORDER BY %[1]s LIMIT $1`, columns, table, condition), args...)
		page, err = pgx.CollectRows(rows, pgx.RowToStructByPos[line])
		return err
	})
	return page, err
}
