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

// plainPlan makes the planner walk indexes for the rest of the transaction. Its
// statistics of a queue are always out of date. Left to them, it would scan all
// that is kept to find a few rows, sort a whole backlog for its first four,
// spend 400 ms compiling a statement that runs in one, or plan for longer than
// it runs. The commit waits for the disk, and for synchronous standbys: a claim that is
// lost would be sent again.
//
// The statement before it pins the isolation, which the database may have been set to
// keep: a claim goes by what the last sender has left.
const plainPlan = `
SELECT commit_durably(), set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('jit', 'off', true),
	set_config('plan_cache_mode', 'force_generic_plan', true)`

const readCommitted = `SET transaction_isolation = 'read committed'`

// planned begins a batch whose transaction is as these statements say.
func planned() *pgx.Batch {
	batch := &pgx.Batch{}
	batch.Queue(readCommitted)
	batch.Queue(plainPlan)
	return batch
}

// claimBatch claims what may be sent now: what is young enough, and still
// registered and enabled. It is one statement, so that nothing can change
// between looking and taking.
//
//   - Nothing is claimed while the database is in another history than the
//     sequencer knows, and what was to be told of an earlier epoch is given up: the
//     history that was lost may have told it (D49).
//   - waiting hops from destination to destination, so that it takes as many
//     steps as there are destinations, however long their backlogs are.
//   - lanes are the destinations with a free slot. A receiver that hangs has
//     none, and is not looked at.
//   - ready is the first of each lane: only the oldest unfinished delivery of a
//     subject, which keeps the order (D31), and nothing that another sender is at.
//   - Every lane gets its first slot before any lane gets its second.
//
// A scalar subquery finds the subject's oldest, and rows are fetched by ctid, so
// that each is one step, whatever the planner believes.
const claimBatch = `
WITH RECURSIVE waiting AS (
	(SELECT destination FROM deliveries
	WHERE status = 'pending' AND (SELECT goes_on FROM history) AND EXISTS (SELECT FROM signing_keys WHERE state = 'active')
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
			WHEN d.idx <= (SELECT untold FROM sequencer) THEN 'unknown'
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

// delivery is one that has been claimed, with all that is needed to send it.
type delivery struct {
	attempt, application, destination uuid.UUID
	kind                              application.WebhookEvent
	url                               string
	event                             event.Recorded
	notice                            notice
	tellable                          bool // false if the event cannot be read, or tells nothing
	names                             names
	key                               signingKey
}

// claimed is what a claim has found.
type claimed struct {
	send    []delivery
	foreign []delivery     // their events are unknown to this program; a newer one can send them
	ended   []ended        // too old, or no longer wanted: these are not sent
	kid     signingkey.KID // of the key that is active
}

// ended is a delivery that the claim has ended.
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

// unknownAfter returns how long after its claim an unfinished delivery is taken for
// lost in a crash. By then, its own sender has long given it up.
func (s *Sender) unknownAfter() time.Duration { return max(leastUnknown, s.Timeout+lookLimit) }

// scan reads one claimed delivery into found.
func (s *Sender) scan(rows pgx.Rows, attempt uuid.UUID, found *claimed) error {
	d := delivery{attempt: attempt}
	var status Status
	var name string
	var data, metadata []byte
	e := &d.event
	err := rows.Scan(&d.application, &e.Idx, &d.kind, &d.destination, &status, &d.url,
		&e.ID, &e.Stream.Tenant, &e.Stream.ID, &e.Version, &name, &data, &metadata, &e.At, &found.kid)
	if err != nil {
		return err
	}
	if status != Sending {
		found.ended = append(found.ended, ended{d.kind, status})
		return nil
	}
	err = s.decode(e, name, data, metadata)
	if errors.Is(err, event.ErrUnknownName) {
		found.foreign = append(found.foreign, d)
		return nil
	}
	if err == nil {
		d.notice, d.tellable = noticeOf(e.Event)
	}
	found.send = append(found.send, d)
	return nil
}

func (s *Sender) decode(e *event.Recorded, name string, data, metadata []byte) (err error) {
	if e.Event, err = s.Codec.Decode(name, data); err != nil {
		return err
	}
	e.Metadata, err = event.ParseMetadata(metadata)
	return err
}

// lanes counts what is in flight to each destination, so that no receiver can
// delay another (D32).
type lanes struct {
	inFlight map[uuid.UUID]int
	total    int
}

func newLanes() *lanes { return &lanes{inFlight: map[uuid.UUID]int{}} }

func (l *lanes) take(destination uuid.UUID) {
	l.inFlight[destination]++
	l.total++
}

func (l *lanes) give(destination uuid.UUID) {
	l.total--
	if l.inFlight[destination]--; l.inFlight[destination] == 0 {
		delete(l.inFlight, destination)
	}
}

// free returns how many more may be claimed.
func (l *lanes) free() int { return overAll - l.total }

// share returns how many may be in flight to one destination now. The fewer
// slots are free, the smaller it is: 64 receivers that hang, with four slots
// each, would leave none for the others.
func (l *lanes) share() int {
	switch free := l.free(); {
	case free > overAll/2:
		return perDestination
	case free > overAll/4:
		return perDestination / 2
	default:
		return 1
	}
}

// busy returns the destinations with anything in flight, and how much.
func (l *lanes) busy() (destinations []uuid.UUID, used []int32) {
	for destination, n := range l.inFlight {
		destinations = append(destinations, destination)
		used = append(used, int32(n))
	}
	return destinations, used
}
