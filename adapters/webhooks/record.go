package webhooks

import (
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// recordOutcomes writes down how attempts have ended, each by whoever made it
// and only if nobody has given it up meanwhile. What was never sent may be
// claimed again.
const recordOutcomes = `
UPDATE deliveries d SET status = o.status, reason = nullif(o.reason, ''), http_status = nullif(o.http_status, 0),
	kid = nullif(o.kid, ''), connect_ms = o.connect_ms, answer_ms = o.answer_ms,
	finished_at = CASE WHEN o.status <> 'pending' THEN o.at END
FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::int[], $7::text[], $8::int[], $9::int[], $10::timestamptz[])
	AS o (event, application, attempt, status, reason, http_status, kid, connect_ms, answer_ms, at)
WHERE d.event = o.event AND d.application = o.application AND d.attempt = o.attempt AND d.status = 'sending'`

// recordInto queues the writing of outcomes and counts those that came too
// late.
func recordInto(batch *pgx.Batch, outcomes []outcome, late *int) {
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
		https, ats = append(https, int32(o.http)), append(ats, o.at)
		connects, answers = append(connects, milliseconds(o.connect)), append(answers, milliseconds(o.answer))
	}
	queued := batch.Queue(recordOutcomes, events, applications, attempts, statuses, reasons, https, kids, connects, answers, ats)
	queued.Exec(func(tag pgconn.CommandTag) error {
		*late = len(outcomes) - int(tag.RowsAffected())
		return nil
	})
}

// milliseconds is nil for what was not measured.
func milliseconds(d time.Duration) *int32 {
	if d == 0 {
		return nil
	}
	ms := int32(d.Milliseconds())
	return &ms
}
