package webhooks

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/domain/event"
)

// errNoSubject says that an event names nobody whose order it could keep.
var errNoSubject = errors.New("the event names no patient and no appointment")

// attempt undoes what a failed step has done to the transaction, so that the
// event can still be parked in it.
func (f FanOut) attempt(ctx context.Context, tx *sql.Tx, step func() error) error {
	if _, err := tx.ExecContext(ctx, `SAVEPOINT fan_out`); err != nil {
		return err
	}
	err := step()
	end := `RELEASE SAVEPOINT fan_out`
	if err != nil {
		end = `ROLLBACK TO SAVEPOINT fan_out`
	}
	_, ended := tx.ExecContext(ctx, end)
	return errors.Join(err, ended)
}

// hopelessness is why an event can never be handled; false if trying again may
// help. Reasons hold no data: a database's detail would quote values.
func hopelessness(err error) (reason string, hopeless bool) {
	if errors.Is(err, errNoSubject) {
		return errNoSubject.Error(), true
	}
	refused, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || refused.Code[:2] != "22" && refused.Code[:2] != "23" { // data, integrity
		return "", false
	}
	return fmt.Sprintf("SQLSTATE %s %s", refused.Code, refused.ConstraintName), true
}

const parkEvent = `
INSERT INTO parked_events (consumer, idx, event, name, reason, parked_at) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (consumer, idx) DO NOTHING`

// park keeps the event for somebody to look at, and lets the others go on.
func (f FanOut) park(ctx context.Context, tx *sql.Tx, e event.Recorded, reason string) error {
	_, err := tx.ExecContext(ctx, parkEvent, FanOutName, e.Idx, e.ID, e.EventName(), reason, f.Now())
	if err != nil {
		return fmt.Errorf("park event: %w", err)
	}
	f.Metrics.parked()
	return nil
}
