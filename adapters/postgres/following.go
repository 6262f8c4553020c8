package postgres

import (
	"context"
	"database/sql"
	"fmt"

	"frontdesk/domain/event"
	"frontdesk/projections"
)

// Following is the handler that moves a projection along the feed.
func Following(p projections.Projection) Handler {
	return func(ctx context.Context, tx *sql.Tx, e event.Recorded) (err error) {
		p.Project(e, func(statement string, args ...any) {
			if err != nil {
				return
			}
			if _, err = tx.ExecContext(ctx, statement, args...); err != nil {
				err = fmt.Errorf("project %s: %w", e.EventName(), err)
			}
		})
		return err
	}
}
