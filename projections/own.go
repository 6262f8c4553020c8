package projections

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/application"
)

// An application's lines at a practice are looked for among the newest of the practice ($1)
// and the newest of the application ($2), from $3 up to $4, and among at most $5 of each. One
// of the two shows them all, unless both are busy with others. There is no index by both: each
// call would pay for a question that is seldom asked (D89).
//
// An event has a delivery for each application, of which all are looked at or none.
const (
	ofThePractice    = `access_record WHERE tenant = $1 AND request_id >= $3 AND request_id < $4 ORDER BY request_id DESC`
	ofTheApplication = `access_record WHERE application = $2 AND request_id >= $3 AND request_id < $4 ORDER BY request_id DESC`
	toldOfIt         = `delivery_log WHERE tenant = $1 AND event >= $3 AND event < $4 ORDER BY event DESC`

	amongThePractices    = `(SELECT * FROM ` + ofThePractice + ` LIMIT $5) theirs WHERE application = $2`
	amongTheApplications = `(SELECT * FROM ` + ofTheApplication + ` LIMIT $5) its WHERE tenant = $1`
	amongItsDeliveries   = `(SELECT * FROM ` + toldOfIt + ` FETCH FIRST ($5) ROWS WITH TIES) theirs WHERE application = $2`
)

// ownLooked is how many lines of each index a page of an application's own looks at.
const ownLooked = 2000

// OwnPage is a part of what an application has at a practice, newest first.
type OwnPage[Row any] struct {
	Rows []Row
	// Before is where the next page begins: it holds what has lower identifiers. It is zero
	// if there is nothing more. The identifier may be that of something of others.
	Before uuid.UUID
}

// OwnBounds say which page is wanted.
type OwnBounds struct {
	Tenant      string
	Application application.ID
	Before      uuid.UUID // lower identifiers than this; zero for the newest
	Limit       int       // at most so many rows
}

// args are the first six parameters of each statement.
func (b OwnBounds) args(since uuid.UUID) []any {
	before := b.Before
	if before == uuid.Nil {
		before = uuid.Max
	}
	return []any{pgx.QueryExecModeCacheDescribe, b.Tenant, b.Application, since, before, ownLooked, b.Limit}
}

// ownPage asks for a page. Each row of the answer ends with the identifier up to which all
// was looked at; it is NULL if the page is full, or nothing is left. The other columns are NULL
// if the page is empty.
func ownPage[Row any](ctx context.Context, db Querier, limit int, query string, args []any, scan func(pgx.CollectableRow, *uuid.NullUUID) (uuid.UUID, Row, error)) (page OwnPage[Row], err error) {
	rows, _ := db.Query(ctx, query, args...)
	defer rows.Close()
	var reached uuid.NullUUID
	for rows.Next() {
		id, row, err := scan(rows, &reached)
		if err != nil {
			return OwnPage[Row]{}, fmt.Errorf("read what an application has: %w", err)
		}
		if id != uuid.Nil {
			page.Rows, page.Before = append(page.Rows, row), id
		}
	}
	if len(page.Rows) < limit {
		page.Before = reached.UUID
	}
	if err := rows.Err(); err != nil {
		return OwnPage[Row]{}, fmt.Errorf("read what an application has: %w", err)
	}
	return page, nil
}
