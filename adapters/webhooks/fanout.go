package webhooks

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/domain/event"
)

// FanOutName is the consumer under which webhooks are fanned out. It is stored
// and must never change.
const FanOutName = "webhooks.v1"

// FanOut queues deliveries, inside the transaction that moves its consumer on:
// each event is fanned out once.
type FanOut struct {
	Ages    Ages
	Queued  interface{ Ring() } // wakes this process's sender
	Now     func() time.Time
	Metrics *Metrics // nil measures nothing
}

// Follows returns an event of each type that is told; its fields are empty.
func (FanOut) Follows() (samples []event.Event) {
	for _, k := range kinds {
		samples = append(samples, k.sample)
	}
	return samples
}

// queueDeliveries goes by what is registered and enabled now (D28). The claim
// asks again.
const queueDeliveries = `
INSERT INTO deliveries (event, application, idx, tenant, kind, subject, destination, happened_at, not_after)
SELECT $1, w.application, $2, $3, $4, $5, w.destination, $6, $7
FROM webhooks w JOIN enablements n ON n.tenant = $3 AND n.application = w.application
WHERE w.event = $4
ON CONFLICT (event, application) DO NOTHING`

// Handle queues a delivery of the event for each application that is to be told
// of it. An event that can never be queued is parked, so that it holds up no
// other. An error means that the database could do neither, and that the caller
// should try again.
func (f FanOut) Handle(ctx context.Context, tx *sql.Tx, e event.Recorded) error {
	notice, tells := noticeOf(e.Event)
	if !tells {
		return nil
	}
	err := atSavepoint(ctx, tx, func() error { return f.queue(ctx, tx, notice, e) })
	if reason, hopeless := hopelessness(err); hopeless {
		return f.park(ctx, tx, e, reason)
	}
	if err != nil {
		return fmt.Errorf("queue deliveries: %w", err)
	}
	f.Queued.Ring()
	return nil
}

// errNoSubject says that an event does not name what it is about. Its place in
// the order could not be kept.
var errNoSubject = errors.New("the event names no patient and no appointment")

func (f FanOut) queue(ctx context.Context, tx *sql.Tx, n notice, e event.Recorded) error {
	if n.subject == uuid.Nil {
		return errNoSubject
	}
	_, err := tx.ExecContext(ctx, queueDeliveries,
		e.ID, e.Idx, e.Stream.Tenant, string(n.kind), n.subject, e.At, e.At.Add(n.age(f.Ages)))
	return err
}

// atSavepoint undoes what a failed step has done to the transaction, so that the
// event can still be parked in it.
func atSavepoint(ctx context.Context, tx *sql.Tx, step func() error) error {
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

// hopelessness returns why an event can never be queued; false if another try
// may help. Reasons hold no data: a database's detail would quote values.
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

// park keeps the event for somebody to look at.
func (f FanOut) park(ctx context.Context, tx *sql.Tx, e event.Recorded, reason string) error {
	_, err := tx.ExecContext(ctx, parkEvent, FanOutName, e.Idx, e.ID, e.EventName(), reason, f.Now())
	if err != nil {
		return fmt.Errorf("park event: %w", err)
	}
	f.Metrics.parked()
	return nil
}
