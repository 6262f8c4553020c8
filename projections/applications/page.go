package applications

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/application"
	"frontdesk/projections"
)

// An application's lines at a practice are searched among the newest of the practice
// ($1) and the newest of the application ($2). Both searches read identifiers from $3
// up to $4, and at most $5 lines. One of the two shows them all, unless both are busy
// with others. An index by both would cost each call something for a query that is
// rarely made (D89).
//
// An event has a delivery for each application. A page looks at all of them or at none.
const (
	practiceCalls      = `access_record WHERE tenant = $1 AND request_id >= $3 AND request_id < $4 ORDER BY request_id DESC`
	applicationCalls   = `access_record WHERE application = $2 AND request_id >= $3 AND request_id < $4 ORDER BY request_id DESC`
	practiceDeliveries = `delivery_log WHERE tenant = $1 AND event >= $3 AND event < $4 ORDER BY event DESC`

	newestByPractice    = `(SELECT * FROM ` + practiceCalls + ` LIMIT $5) theirs WHERE application = $2`
	newestByApplication = `(SELECT * FROM ` + applicationCalls + ` LIMIT $5) its WHERE tenant = $1`
	newestDeliveries    = `(SELECT * FROM ` + practiceDeliveries + ` FETCH FIRST ($5) ROWS WITH TIES) theirs WHERE application = $2`
)

// maxLines limits the lines of each index that a page of an application's own data
// reads.
const maxLines = 2000

// Page is a page of an application's data at a practice, newest first.
type Page[Row any] struct {
	Rows []Row
	// Before is where the next page begins: it holds lower identifiers. It is zero at
	// the end. The identifier may belong to another application's row.
	Before uuid.UUID
}

// Bounds select a page.
type Bounds struct {
	Tenant      string
	Application application.ID
	Before      uuid.UUID // only lower identifiers; zero for the newest
	Limit       int       // maximum of rows
}

// args are the first six parameters of each statement.
func (b Bounds) args(since uuid.UUID) []any {
	before := b.Before
	if before == uuid.Nil {
		before = uuid.Max
	}
	return []any{pgx.QueryExecModeCacheDescribe, b.Tenant, b.Application, since, before, maxLines, b.Limit}
}

// readPage queries a page. Each row of the result ends with the lowest identifier that
// was read; it is NULL if the page is full, or nothing is left. The other columns are
// NULL if the page is empty.
func readPage[Row any](ctx context.Context, db projections.Querier, limit int, query string, args []any, scan func(pgx.CollectableRow, *uuid.NullUUID) (uuid.UUID, Row, error)) (page Page[Row], err error) {
	rows, _ := db.Query(ctx, query, args...)
	defer rows.Close()
	var reached uuid.NullUUID
	for rows.Next() {
		id, row, err := scan(rows, &reached)
		if err != nil {
			return Page[Row]{}, fmt.Errorf("read an application's data: %w", err)
		}
		if id != uuid.Nil {
			page.Rows, page.Before = append(page.Rows, row), id
		}
	}
	if len(page.Rows) < limit {
		page.Before = reached.UUID
	}
	if err := rows.Err(); err != nil {
		return Page[Row]{}, fmt.Errorf("read an application's data: %w", err)
	}
	return page, nil
}
