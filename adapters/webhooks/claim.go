package webhooks

import (
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/signingkey"
)

// plainPlan makes the planner use index scans for the rest of the transaction. The
// planner's statistics for a queue are always out of date. With them it would scan all
// stored rows to find a few, sort a whole backlog for the first four, spend 400 ms on
// JIT for a statement that runs in one, or plan for longer than it runs. The commit
// waits for the disk and for synchronous standbys: a lost claim would be sent again.
//
// The statement before it pins the isolation level, because the database may have
// another default: a claim must see the rows that the last sender committed.
const plainPlan = `
SELECT commit_safely(), set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('jit', 'off', true),
	set_config('plan_cache_mode', 'force_generic_plan', true)`

const readCommitted = `SET transaction_isolation = 'read committed'`

// claimPrelude also reads the database's current history.
const claimPrelude = plainPlan + `, epoch, goes_on FROM history`

// claimBatch claims the deliveries that may be sent now: not too old, and still
// registered and enabled. It is one statement, so that nothing changes between the
// check and the claim.
//
//   - It claims nothing while the database is in a history that the sequencer does not
//     know. Deliveries of an earlier epoch become unknown: the lost history may have
//     sent them (D49).
//   - waiting skips from destination to destination, so it takes one step for each
//     destination, however long the backlogs are.
//   - lanes are the destinations with room for more claims. It does not read the queue
//     of a receiver that hangs.
//   - subjects skips through a lane from subject to subject, oldest first, until it
//     has found enough. Only the oldest unfinished delivery of a subject is ready,
//     which keeps the order (D31). Deliveries behind it cost almost nothing. After 256
//     of them in a row the scan stops, and finds the rest after an answer.
//   - Deliveries about an erased patient are withdrawn: a sender may have claimed one
//     before the erasure and released it (D70).
//   - ready locks the deliveries that are unchanged and that no other sender has
//     locked.
//   - Every lane gets its first delivery before any lane gets its second.
//
// A scalar subquery finds the subject's oldest delivery, and rows are fetched by ctid
// only, so that each is one step, whatever the planner estimates. With a condition on
// the status it could scan the backlog instead.
const claimBatch = `
WITH RECURSIVE waiting AS (
	(SELECT destination FROM deliveries
	WHERE status = 'pending' AND (SELECT goes_on FROM history) AND EXISTS (SELECT FROM signing_keys WHERE state = 'active')
	ORDER BY destination LIMIT 1)
	UNION ALL
	SELECT (SELECT d.destination FROM deliveries d WHERE d.status = 'pending' AND d.destination > w.destination ORDER BY d.destination LIMIT 1)
	FROM waiting w WHERE w.destination IS NOT NULL),
lanes AS (
	SELECT w.destination, coalesce(b.room, $2::int) AS room
	FROM waiting w LEFT JOIN unnest($3::uuid[], $4::int[]) AS b (destination, room) USING (destination)
	WHERE w.destination IS NOT NULL AND coalesce(b.room, $2) > 0),
ready AS (
	SELECT d.ctid AS place, oldest.idx, oldest.found
	FROM lanes CROSS JOIN LATERAL (
		WITH RECURSIVE subjects AS (
			SELECT NULL::tid AS place, 0::bigint AS idx, '' AS status, false AS ready, 0 AS found, '{}'::uuid[] AS seen
			UNION ALL
			SELECT next.place, next.idx, next.status, next.ready, s.found + next.ready::int, s.seen || next.subject
			FROM subjects s CROSS JOIN LATERAL (
				SELECT n.place, n.idx, n.status, n.subject, n.idx = (SELECT min(e.idx) FROM deliveries e
					WHERE e.destination = lanes.destination AND e.tenant = n.tenant AND e.subject = n.subject AND e.finished_at IS NULL) AS ready
				FROM (SELECT d.ctid AS place, d.idx, d.status, d.tenant, d.subject FROM deliveries d
					WHERE d.destination = lanes.destination AND d.status = 'pending' AND d.idx > s.idx ORDER BY d.idx LIMIT 256) n
				WHERE n.subject <> ALL (s.seen) LIMIT 1) next
			WHERE s.found < lanes.room)
		SELECT * FROM subjects WHERE ready) oldest
	JOIN deliveries d ON d.ctid = oldest.place AND d.status = oldest.status
	FOR UPDATE OF d SKIP LOCKED),
claimed AS (
	UPDATE deliveries d SET (status, finished_at, reason) = (
		SELECT status, CASE WHEN status <> 'sending' THEN $1::timestamptz END, CASE WHEN status = 'withdrawn' AND erased THEN 'erased' END
		FROM (SELECT erased, CASE
			WHEN d.idx <= (SELECT untold FROM sequencer) THEN 'unknown'
			WHEN erased THEN 'withdrawn'
			WHEN d.not_after < $1 THEN 'expired'
			WHEN EXISTS (SELECT FROM enablements n JOIN webhooks w USING (application)
				WHERE n.tenant = d.tenant AND n.application = d.application AND ` + registeredAddress + `)
			THEN 'sending' ELSE 'withdrawn' END
			FROM (SELECT EXISTS (SELECT FROM log l JOIN events e USING (position) JOIN erasures g ON g.tenant = e.tenant AND g.kind = 1 AND g.holder = e.patient
				WHERE l.idx = d.idx) OFFSET 0) AS asked (erased) OFFSET 0) AS judged (erased, status)),
		attempt = $6, claimed_at = $1, unknown_at = $7
	WHERE d.ctid = ANY (ARRAY (SELECT place FROM ready ORDER BY found, idx LIMIT $5))
	RETURNING d.event, d.application, d.idx, d.kind, d.destination, d.status, d.not_after)
SELECT d.application, d.idx, d.kind, d.destination, d.status, d.not_after, coalesce(w.url, ''),
	e.id, e.tenant, e.stream, e.version, e.name, e.data, e.metadata, e.sealed, e.recorded_at,
	coalesce((SELECT kid FROM signing_keys WHERE state = 'active'), '')
FROM claimed d JOIN log USING (idx) JOIN events e USING (position)
LEFT JOIN LATERAL (SELECT url FROM webhooks w WHERE ` + registeredAddress + ` LIMIT 1) w ON true
ORDER BY d.idx`

// registeredAddress matches the registered address (w) of a delivery (d). A ping has no
// registration of its own: it is sent while any event is registered for its address.
const registeredAddress = `w.application = d.application AND w.destination = d.destination AND (w.event = d.kind OR d.kind = '` + string(application.Ping) + `')`

// delivery is a claimed delivery, with everything that is needed to send it.
type delivery struct {
	attempt, application, destination uuid.UUID
	kind                              application.WebhookEvent
	url                               string
	notAfter                          time.Time // not sent after this time
	stored                            event.Stored
	event                             event.Recorded // personal values stay hidden until the names are looked up
	notice                            notice
	hasNotice                         bool   // false if the event cannot be read, or has no notice
	names                             *names // shared by all deliveries of the event; nil if it is not tellable
	key                               signingKey
}

// claimed is the result of a claim.
type claimed struct {
	send    []delivery
	foreign []delivery     // this program does not know their events; a newer one can send them
	ended   []ended        // too old, or no longer wanted: not sent
	kid     signingkey.KID // of the active key
}

// ended is a delivery that the claim has ended.
type ended struct {
	kind   application.WebhookEvent
	status Status
}

// claimInto queues the claim and reads its rows into found. A row that cannot be
// decoded is not an error: it is claimed already, and must be sent or released.
func (s *Sender) claimInto(batch *pgx.Batch, lanes *lanes, found *claimed) {
	attempt, now := event.NewID(), s.Now()
	destinations, room := lanes.room()
	batch.Queue(claimBatch, now, lanes.share(), destinations, room, lanes.free(), attempt, s.RealNow().Add(s.unknownAfter())).
		Query(func(rows pgx.Rows) error {
			for rows.Next() {
				if err := s.scan(rows, attempt, found); err != nil {
					return err
				}
			}
			return rows.Err()
		})
}

// unknownAfter returns how long after its claim an unfinished delivery counts as lost
// in a crash. Its own sender has given up well before.
func (s *Sender) unknownAfter() time.Duration { return max(leastUnknown, s.Timeout+lookLimit) }

// scan reads one claimed delivery into found.
func (s *Sender) scan(rows pgx.Rows, attempt uuid.UUID, found *claimed) error {
	d := delivery{attempt: attempt}
	var status Status
	e := &d.stored
	err := rows.Scan(&d.application, &e.Idx, &d.kind, &d.destination, &status, &d.notAfter, &d.url,
		&e.ID, &e.Stream.Tenant, &e.Stream.ID, &e.Version, &e.Name, &e.Data, &e.Metadata, &e.Sealed, &e.At, &found.kid)
	if err != nil {
		return err
	}
	if status != Sending {
		found.ended = append(found.ended, ended{d.kind, status})
		return nil
	}
	d.event, err = s.Codec.Join(d.stored, nil)
	if errors.Is(err, event.ErrUnknownName) {
		d.event.ID = e.ID
		found.foreign = append(found.foreign, d)
		return nil
	}
	if err == nil {
		d.notice, d.hasNotice = noticeOf(d.event.Event)
	}
	found.send = append(found.send, d)
	return nil
}
