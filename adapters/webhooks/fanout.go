package webhooks

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/consultation"
	"frontdesk/domain/event"
	"frontdesk/domain/record"
)

// FanOutName is the consumer under which webhooks are fanned out: permanent.
const FanOutName = "webhooks.v1"

// Ages is how old an event may be when it is told (D30).
type Ages struct {
	CallIn time.Duration // of call-in events: 2 min
	Other  time.Duration // 15 min
}

func (a Ages) of(kind application.WebhookEvent) time.Duration {
	if kind == application.CallInShown || kind == application.CallInRemoved {
		return a.CallIn
	}
	return a.Other
}

// FanOut queues deliveries, inside the transaction that moves its consumer on:
// each event is fanned out once.
type FanOut struct {
	Ages    Ages
	Queued  interface{ Ring() } // wakes this process's sender
	Now     func() time.Time
	Metrics *Metrics // nil measures nothing
}

// Follows is an event of each sort that is told.
func (FanOut) Follows() []event.Event {
	return []event.Event{record.CareRecordOpened{}, consultation.Started{}, appointment.CalledIn{}, appointment.CallInRemoved{}}
}

// queueDeliveries judges destination and enablement as they are now (D28).
const queueDeliveries = `
INSERT INTO deliveries (event, application, idx, tenant, kind, subject, destination, happened_at, not_after)
SELECT $1, w.application, $2, $3, $4, $5, w.destination, $6, $7
FROM webhooks w JOIN enablements n ON n.tenant = $3 AND n.application = w.application
WHERE w.event = $4
ON CONFLICT (event, application) DO NOTHING`

// Handle queues a delivery of the event for each application that is to be
// told of it. An event that can never be handled is parked; an error means
// that the database could not do either, and that it is worth trying again.
func (f FanOut) Handle(ctx context.Context, tx *sql.Tx, e event.Recorded) error {
	notice, tells := noticeOf(e.Event)
	if !tells {
		return nil
	}
	err := f.attempt(ctx, tx, func() error { return f.queue(ctx, tx, notice, e) })
	if reason, hopeless := hopelessness(err); hopeless {
		return f.park(ctx, tx, e, reason)
	}
	if err != nil {
		return fmt.Errorf("queue deliveries: %w", err)
	}
	f.Queued.Ring()
	return nil
}

func (f FanOut) queue(ctx context.Context, tx *sql.Tx, n notice, e event.Recorded) error {
	if n.subject == uuid.Nil {
		return errNoSubject
	}
	_, err := tx.ExecContext(ctx, queueDeliveries,
		e.ID, e.Idx, e.Stream.Tenant, string(n.kind), n.subject, e.At, e.At.Add(f.Ages.of(n.kind)))
	return err
}
