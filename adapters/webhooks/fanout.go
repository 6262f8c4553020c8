package webhooks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// FanOutName is the consumer under which webhooks are fanned out. It is stored
// and must never change.
const FanOutName = "webhooks.v1"

// FanOut queues deliveries in the transaction that advances its consumer: each event is
// fanned out once.
type FanOut struct {
	Ages    Ages
	Queued  interface{ Notify() } // wakes this process's sender
	Now     func() time.Time
	Metrics *Metrics // nil: not measured
}

// Follows returns an empty event of each type that has a notice.
func (FanOut) Follows() (samples []event.Event) {
	for _, k := range kinds {
		samples = append(samples, k.sample)
	}
	return samples
}

// queueDeliveries uses the current registrations and enablements (D28): the addresses
// of a kind ($9), of all applications or of one ($10). The claim checks again, by
// destination, and each address has its own: so the stored address is the one that is
// called. The stored URL has no query, because some receivers keep a secret there. No
// notice about an erased patient is queued. As in an append, an erasure waits for
// transactions that have checked.
const queueDeliveries = `
INSERT INTO deliveries (event, application, idx, tenant, kind, subject, destination, happened_at, not_after, url)
SELECT $1, w.application, $2, $3, $4, $5, w.destination, $6, $7, split_part(w.url, '?', 1)
FROM webhooks w JOIN enablements n ON n.tenant = $3 AND n.application = w.application
WHERE w.event = $9 AND ($10::uuid IS NULL OR w.application = $10)
	AND NOT EXISTS (SELECT FROM erasures g WHERE g.tenant = $3 AND g.kind = 1 AND g.holder = $8 FOR KEY SHARE)
ON CONFLICT (event, application) DO NOTHING`

// Handle queues a delivery of each event for each application to notify, in one round
// trip. An error means that none was queued. HandleAlone then finds the event that
// failed.
func (f FanOut) Handle(ctx context.Context, conn *pgx.Conn, page []event.Recorded) error {
	batch := &pgx.Batch{}
	for _, e := range page {
		if err := f.queue(batch, e); err != nil {
			return err
		}
	}
	if batch.Len() == 0 {
		return nil
	}
	if err := conn.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("queue deliveries: %w", err)
	}
	f.Queued.Notify()
	return nil
}

// HandleAlone is Handle for the events of a page that failed, one by one. An event that
// can never be queued is parked, so that it does not block the others. An error means
// that the database could do neither: the caller should retry.
func (f FanOut) HandleAlone(ctx context.Context, conn *pgx.Conn, page []event.Recorded) error {
	for _, e := range page {
		err := atSavepoint(ctx, conn, func() error { return f.Handle(ctx, conn, []event.Recorded{e}) })
		if reason, permanent := permanentFailure(err); permanent {
			err = f.park(ctx, conn, e, reason)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// errNoSubject: the event names no subject, so its order could not be kept.
var errNoSubject = errors.New("the event names no patient and no appointment")

func (f FanOut) queue(batch *pgx.Batch, e event.Recorded) error {
	n, tells := noticeOf(e.Event)
	if !tells {
		return nil
	}
	if n.subject == uuid.Nil {
		return errNoSubject
	}
	at, only := n.audience()
	batch.Queue(queueDeliveries, e.ID, e.Idx, e.Stream.Tenant, string(n.kind), n.subject, e.At, e.At.Add(n.age(f.Ages)), patientOf(e.Event),
		string(at), only)
	return nil
}

// audience returns the kind whose registered addresses are notified, and the only
// application to notify; nil for all.
func (n notice) audience() (at application.WebhookEvent, only *uuid.UUID) {
	if n.to == allRecipients {
		return n.kind, nil
	}
	return n.to.at, &n.to.only.UUID
}

// patientOf returns the patient that the event is about; zero if absent.
func patientOf(e event.Event) uuid.UUID {
	if about, ok := e.(event.Patient); ok {
		return about.PatientID()
	}
	return uuid.Nil
}

// atSavepoint rolls a failed step back, so that the event can still be parked in the
// same transaction.
func atSavepoint(ctx context.Context, conn *pgx.Conn, step func() error) error {
	if _, err := conn.Exec(ctx, `SAVEPOINT fan_out`); err != nil {
		return err
	}
	err := step()
	end := `RELEASE SAVEPOINT fan_out`
	if err != nil {
		end = `ROLLBACK TO SAVEPOINT fan_out`
	}
	_, ended := conn.Exec(ctx, end)
	return errors.Join(err, ended)
}

// permanentFailure returns why an event can never be queued; false if a retry may succeed.
// Reasons contain no data: the database's detail would quote values.
func permanentFailure(err error) (reason string, permanent bool) {
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

// park stores the event as a dead letter, for an operator to inspect.
func (f FanOut) park(ctx context.Context, conn *pgx.Conn, e event.Recorded, reason string) error {
	_, err := conn.Exec(ctx, parkEvent, FanOutName, e.Idx, e.ID, e.EventName(), reason, f.Now())
	if err != nil {
		return fmt.Errorf("park event: %w", err)
	}
	f.Metrics.parked()
	return nil
}
