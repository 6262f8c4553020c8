package webhooks

import (
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/domain/signingkey"
)

// Status is where a delivery is, or how it has ended.
type Status string

// The statuses. Only the first two lead to another.
const (
	Pending   Status = "pending"   // queued
	Sending   Status = "sending"   // claimed: bytes may be on their way
	Delivered Status = "delivered" // the receiver answered with a 2xx
	Failed    Status = "failed"    // it did not; the reason says more
	Expired   Status = "expired"   // it had grown too old, and was not sent
	Withdrawn Status = "withdrawn" // it was no longer wanted, and was not sent
	Unknown   Status = "unknown"   // its sender crashed
)

// outcome is how one attempt has ended.
type outcome struct {
	event, application, attempt uuid.UUID
	destination                 uuid.UUID

	status Status // Pending: nothing was sent, and it may be claimed again
	reason Reason
	kid    signingkey.KID // "" if nothing was signed
	answer answer
	at     time.Time
}

// ends returns an outcome of the delivery, for the caller to complete.
func (d delivery) ends(status Status, reason Reason) outcome {
	return outcome{
		event: d.event.ID, application: d.application, attempt: d.attempt, destination: d.destination,
		status: status, reason: reason,
	}
}

// writeOutcomes writes down how attempts have ended, each only if nobody has
// given it up as unknown in between. What was never sent may be claimed again.
const writeOutcomes = `
UPDATE deliveries d SET status = o.status, reason = nullif(o.reason, ''), http_status = nullif(o.http_status, 0),
	kid = nullif(o.kid, ''), connect_ms = o.connect_ms, answer_ms = o.answer_ms,
	finished_at = CASE WHEN o.status <> 'pending' THEN o.at END
FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::int[], $7::text[], $8::int[], $9::int[], $10::timestamptz[])
	AS o (event, application, attempt, status, reason, http_status, kid, connect_ms, answer_ms, at)
WHERE d.event = o.event AND d.application = o.application AND d.attempt = o.attempt AND d.status = 'sending'`

// writeInto queues the writing of outcomes and counts those that came too late.
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

// milliseconds returns nil for what was not measured.
func milliseconds(d time.Duration) *int32 {
	if d == 0 {
		return nil
	}
	ms := int32(d.Milliseconds())
	return &ms
}
