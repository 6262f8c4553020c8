package webhooks

import (
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/signingkey"
)

// claimBatch claims what may be sent now, and judges it again (D28, D30). It is
// one statement, so that nothing can come between looking and taking.
//
//   - waiting hops from destination to destination, so that it costs as many
//     steps as there are destinations, however long their backlogs are.
//   - lanes are those with a free slot. A dead receiver has none, and is not
//     looked at.
//   - ready is the first of each lane: only the oldest unfinished of a subject,
//     so that it keeps its order, and nothing that another sender is at.
//   - All lanes get their first slot before any gets its second.
//
// The subject's oldest is asked for by a scalar subquery, and rows are fetched
// by ctid: each is one step, whatever the planner believes.
const claimBatch = `
WITH RECURSIVE waiting AS (
	(SELECT destination FROM deliveries
	WHERE status = 'pending' AND EXISTS (SELECT FROM signing_keys WHERE state = 'active')
	ORDER BY destination LIMIT 1)
	UNION ALL
	SELECT (SELECT d.destination FROM deliveries d WHERE d.status = 'pending' AND d.destination > w.destination ORDER BY d.destination LIMIT 1)
	FROM waiting w WHERE w.destination IS NOT NULL),
lanes AS (
	SELECT w.destination, $2::int - coalesce(b.used, 0) AS free
	FROM waiting w LEFT JOIN unnest($3::uuid[], $4::int[]) AS b (destination, used) USING (destination)
	WHERE w.destination IS NOT NULL AND coalesce(b.used, 0) < $2),
ready AS (
	SELECT p.place, p.idx, row_number() OVER (PARTITION BY lanes.destination ORDER BY p.idx) AS slot
	FROM lanes CROSS JOIN LATERAL (
		SELECT d.ctid AS place, d.idx FROM deliveries d
		WHERE d.destination = lanes.destination AND d.status = 'pending'
			AND d.idx = (SELECT min(e.idx) FROM deliveries e
				WHERE e.destination = d.destination AND e.tenant = d.tenant AND e.subject = d.subject AND e.finished_at IS NULL)
		ORDER BY d.idx LIMIT lanes.free FOR UPDATE OF d SKIP LOCKED) p),
claimed AS (
	UPDATE deliveries d SET (status, finished_at) = (
		SELECT status, CASE WHEN status <> 'sending' THEN $1::timestamptz END
		FROM (SELECT CASE
			WHEN d.not_after < $1 THEN 'expired'
			WHEN EXISTS (SELECT FROM enablements n JOIN webhooks w USING (application)
				WHERE n.tenant = d.tenant AND n.application = d.application AND w.event = d.kind AND w.destination = d.destination)
			THEN 'sending' ELSE 'withdrawn' END) AS judged (status)),
		attempt = $6, claimed_at = $1, unknown_at = $7
	WHERE d.ctid = ANY (ARRAY (SELECT place FROM ready ORDER BY slot, idx LIMIT $5)) AND d.status = 'pending'
	RETURNING d.event, d.application, d.idx, d.kind, d.destination, d.status)
SELECT c.application, c.idx, c.kind, c.destination, c.status, coalesce(w.url, ''),
	e.id, e.tenant, e.stream, e.version, e.name, e.data, e.metadata, e.recorded_at,
	coalesce((SELECT kid FROM signing_keys WHERE state = 'active'), '')
FROM claimed c JOIN log USING (idx) JOIN events e USING (position)
LEFT JOIN webhooks w ON w.application = c.application AND w.event = c.kind
ORDER BY c.idx`

// claimed is what a claim has found: what to send, and what was ended instead.
type claimed struct {
	send    []dispatch
	foreign []dispatch // their events are unknown to this program; a newer one can send them
	kid     signingkey.KID
	ended   []ended
}

// ended is a delivery that was not sent.
type ended struct {
	kind   application.WebhookEvent
	status Status
}

// claimInto queues the claim and reads its rows into found. What the rows hold
// is no error: by then they are claimed, and must be sent or released.
func (s *Sender) claimInto(batch *pgx.Batch, lanes *lanes, found *claimed) {
	attempt, now := event.NewID(), s.Now()
	destinations, used := lanes.busy()
	batch.Queue(claimBatch, now, lanes.share(), destinations, used, lanes.free(), attempt, now.Add(s.unknownAfter())).
		Query(func(rows pgx.Rows) error {
			for rows.Next() {
				if err := s.scan(rows, attempt, found); err != nil {
					return err
				}
			}
			return rows.Err()
		})
}

// unknownAfter is when a delivery that nobody has ended is taken for lost in a
// crash (D29): well after its own sender would have given up.
func (s *Sender) unknownAfter() time.Duration { return max(20*time.Second, s.Timeout+lookLimit) }
