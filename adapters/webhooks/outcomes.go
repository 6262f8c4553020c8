package webhooks

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/domain/application"
	"frontdesk/domain/signingkey"
	"frontdesk/projections"
)

// Status is the state of a delivery.
type Status string

// The statuses. All but the first two are final.
const (
	Pending   Status = "pending"   // queued
	Sending   Status = "sending"   // claimed: bytes may be on their way
	Delivered Status = "delivered" // the receiver answered with a 2xx
	Failed    Status = "failed"    // it did not; see the reason
	Expired   Status = "expired"   // too old, and not sent
	Withdrawn Status = "withdrawn" // no longer wanted, and not sent
	Unknown   Status = "unknown"   // its sender crashed, or an earlier epoch may have sent it
)

// Outcomes lists the words of all statuses.
func Outcomes() (words []string) {
	for _, s := range []Status{Pending, Sending, Delivered, Failed, Expired, Withdrawn, Unknown} {
		words = append(words, string(s))
	}
	return words
}

// outcome is the result of one attempt.
type outcome struct {
	event, application, attempt uuid.UUID
	destination                 uuid.UUID

	status Status // Pending: not sent, may be claimed again
	reason Reason
	kid    signingkey.KID // "" if nothing was signed
	answer answer
	quick  bool // a 2xx, and fast
	at     time.Time
}

// ends returns an outcome of the delivery for the caller to complete.
func (d delivery) ends(status Status, reason Reason) outcome {
	return outcome{
		event: d.event.ID, application: d.application, attempt: d.attempt, destination: d.destination,
		status: status, reason: reason,
	}
}

// writeOutcomes stores the outcomes of attempts, except for deliveries that have become
// unknown since. A delivery that was never sent may be claimed again.
const writeOutcomes = `
UPDATE deliveries d SET status = o.status, reason = nullif(o.reason, ''), http_status = nullif(o.http_status, 0),
	kid = nullif(o.kid, ''), connect_ms = o.connect_ms, answer_ms = o.answer_ms,
	finished_at = CASE WHEN o.status <> 'pending' THEN o.at END
FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::int[], $7::text[], $8::int[], $9::int[], $10::timestamptz[])
	AS o (event, application, attempt, status, reason, http_status, kid, connect_ms, answer_ms, at)
WHERE d.event = o.event AND d.application = o.application AND d.attempt = o.attempt AND d.status = 'sending'`

// writeInto queues the outcomes and counts those that were too late.
func writeInto(batch *pgx.Batch, outcomes []outcome, late *int) {
	if len(outcomes) == 0 {
		return
	}
	var events, applications, attempts []uuid.UUID
	var statuses, reasons, kids []string
	var https []int32
	var connects, answers []*int32
	var ats []time.Time
	for _, o := range outcomes {
		events, applications, attempts = append(events, o.event), append(applications, o.application), append(attempts, o.attempt)
		statuses, reasons, kids = append(statuses, string(o.status)), append(reasons, string(o.reason)), append(kids, string(o.kid))
		https, ats = append(https, int32(o.answer.status)), append(ats, o.at)
		connects, answers = append(connects, milliseconds(o.answer.connected)), append(answers, milliseconds(o.answer.began))
	}
	queued := batch.Queue(writeOutcomes, events, applications, attempts, statuses, reasons, https, kids, connects, answers, ats)
	queued.Exec(func(tag pgconn.CommandTag) error {
		*late = len(outcomes) - int(tag.RowsAffected())
		return nil
	})
}

// milliseconds returns nil if nothing was measured.
func milliseconds(d time.Duration) *int32 {
	if d == 0 {
		return nil
	}
	ms := int32(d.Milliseconds())
	return &ms
}

// DeliveryLog lists deliveries with their status or outcome, while it is kept: first in
// full, later only the event, the application and the outcome. It holds no patient
// data.
type DeliveryLog struct{ DB projections.Querier }

// Logged is one delivery.
type Logged struct {
	ID          uuid.UUID                `json:"jti"` // the event's id
	Idx         int64                    `json:"idx"` // the event's position in the log
	Event       application.WebhookEvent `json:"event"`
	Tenant      string                   `json:"tenant"`
	Application application.ID           `json:"applicationId"`
	URL         *string                  `json:"url"` // without the query; null for an older delivery whose address is no longer registered
	Status      Status                   `json:"status"`
	Reason      *Reason                  `json:"reason"` // of a failure; null otherwise
	HTTPStatus  *int                     `json:"httpStatus"`
	KID         *string                  `json:"kid"` // of the key that signed it
	HappenedAt  time.Time                `json:"happenedAt"`
	ClaimedAt   *time.Time               `json:"claimedAt"` // also null after the details are deleted
	FinishedAt  *time.Time               `json:"finishedAt"`
	ConnectMS   *int                     `json:"connectMs"` // until there was a connection
	AnswerMS    *int                     `json:"answerMs"`  // until the first byte of an answer
}

// Filter selects deliveries. A zero field matches all.
type Filter struct {
	Tenant      string
	Application application.ID
	Event       application.WebhookEvent
	Status      Status
	Reason      Reason
	Since       time.Time // when the event happened
	Limit       int       // 0 finds none
}

// logged reads deliveries for display.
const logged = `
SELECT d.event, d.idx, d.kind, d.tenant, d.application, coalesce(d.url, w.url), d.status, d.reason, d.http_status, d.kid,
	d.happened_at, d.claimed_at, d.finished_at, d.connect_ms, d.answer_ms
FROM delivery_log d LEFT JOIN LATERAL (SELECT url FROM webhooks w WHERE ` + registeredAddress + ` LIMIT 1) w ON true`

// deliveriesOf finds the deliveries of events by primary key.
const deliveriesOf = logged + ` WHERE d.event = ANY ($1) ORDER BY d.event, d.application`

// listDeliveries is planned for each call with its parameters, so that the planner
// drops conditions that match everything.
const listDeliveries = logged + `
WHERE ($1 = '' OR d.tenant = $1) AND ($2 = '00000000-0000-0000-0000-000000000000'::uuid OR d.application = $2)
	AND ($3 = '' OR d.kind = $3) AND ($4 = '' OR d.status = $4) AND ($5 = '' OR d.reason = $5) AND ($6::timestamptz IS NULL OR d.happened_at >= $6)
ORDER BY d.event DESC, d.application LIMIT $7`

// List returns the deliveries that a filter matches, newest events first.
func (l DeliveryLog) List(ctx context.Context, f Filter) ([]Logged, error) {
	var since *time.Time
	if !f.Since.IsZero() {
		since = &f.Since
	}
	return l.list(ctx, listDeliveries, pgx.QueryExecModeCacheDescribe, f.Tenant, f.Application, string(f.Event), string(f.Status), string(f.Reason), since, f.Limit)
}

// Of returns the deliveries of events, ordered by event identifier.
func (l DeliveryLog) Of(ctx context.Context, events []uuid.UUID) ([]Logged, error) {
	return l.list(ctx, deliveriesOf, events)
}

func (l DeliveryLog) list(ctx context.Context, query string, args ...any) ([]Logged, error) {
	rows, _ := l.DB.Query(ctx, query, args...)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Logged])
	if err != nil {
		return nil, fmt.Errorf("list deliveries: %w", err)
	}
	for i := range found {
		found[i].tidy()
	}
	return found, nil
}

// tidy converts times to UTC and removes the secret parts of the URL.
func (l *Logged) tidy() {
	l.HappenedAt = l.HappenedAt.UTC()
	for _, at := range []*time.Time{l.ClaimedAt, l.FinishedAt} {
		if at != nil {
			*at = at.UTC()
		}
	}
	if l.URL != nil {
		*l.URL = application.WithoutQuery(*l.URL)
	}
}
