package retention

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/projections"
)

// The records with archives.
const (
	AccessRecord = "access_record" // the judged calls of the API
	Delivered    = "delivered"     // the recipients of webhooks
)

// Archives lists the records that are no longer in the database. Every role with read
// rights may query it.
type Archives struct{ DB projections.Querier }

// late is how much later than its identifier a line's time may be: a body may take that
// long.
const late = time.Hour

const archivesOf = `
SELECT name FROM archives
WHERE record = $1 AND ($2::timestamptz IS NULL OR until > $2) AND ($3::timestamptz IS NULL OR since IS NULL OR since < $3)
ORDER BY until, name`

// Between returns the names of the archives with lines from one instant up to another,
// oldest first. A zero instant is no limit.
func (a Archives) Between(ctx context.Context, record string, since, until time.Time) ([]string, error) {
	if !since.IsZero() {
		since = since.Add(-late)
	}
	rows, _ := a.DB.Query(ctx, archivesOf, record, timeOrNull(since), timeOrNull(until))
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("list archives: %w", err)
	}
	return names, nil
}

// Of returns the name of the archive that holds the line of an identifier, and "" if there
// is none.
func (a Archives) Of(ctx context.Context, record string, id uuid.UUID) (string, error) {
	at := InstantOf(id)
	names, err := a.Between(ctx, record, at.Add(late), at.Add(time.Millisecond))
	if err != nil || len(names) == 0 {
		return "", err
	}
	return names[0], nil
}
