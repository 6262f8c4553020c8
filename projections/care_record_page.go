package projections

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/patient"
)

// pageBytes limits the bytes of a record that are read for one page. The first entry is
// always included.
const pageBytes = 256 << 10

// Page returns at most the given number of entries of a patient's care record before
// one of them, newest first, and whether older ones follow. A zero identifier begins
// with the newest. It returns none for a patient that the practice does not have.
func (c CareRecords) Page(ctx context.Context, tenant string, id patient.ID, before uuid.UUID, most int) (entries []RecordEntry, more bool, err error) {
	sql, args := entriesOf, []any{tenant, id, most + 1, pageBytes, marks}
	if before != uuid.Nil {
		sql, args = entriesOfBefore, append(args, before)
	}
	size, all := 0, 0
	rows, _ := c.DB.Query(ctx, sql, args...)
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r recordRow, err error) {
		for _, column := range row.RawValues() {
			size += len(column)
		}
		r, err = scanEntry(row, tenant, &all)
		return r, err
	})
	if err != nil {
		return nil, false, fmt.Errorf("read a page of a care record: %w", err)
	}
	more = len(found) > most || size >= pageBytes
	entries, _, err = c.openEntries(ctx, found[:min(most, len(found))])
	if err != nil {
		return nil, false, fmt.Errorf("open a page of a care record: %w", err)
	}
	return entries, more, nil
}
