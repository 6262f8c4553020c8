package webhooks

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/background"
	"frontdesk/domain/application"
)

// Keeper ends the deliveries that no sender finishes: too old, or left by a sender that
// crashed. When their retention ends it keeps only the event, the application and the
// outcome. Any number of processes may run one.
type Keeper struct {
	DB        *pgxpool.Pool
	Now       func() time.Time // the practice's clock
	RealNow   func() time.Time // decides that a silent sender has crashed
	Retention time.Duration    // of all details of a delivery, from its end
	Log       *slog.Logger
	Metrics   *Metrics // nil: not measured
	// Swept receives the number of old deliveries deleted, or the error; may be nil.
	Swept func(deliveries int, err error)
}

const (
	keepPace  = time.Second // between two rounds, however long a round takes
	keepLimit = 10 * time.Second
	keepBatch = 1000
)

// Run repeats Keep until ctx ends.
func (k Keeper) Run(ctx context.Context) {
	background.Loop{Pace: keepPace, Do: k.Keep, Fails: "cannot end old deliveries", Log: k.Log}.Run(ctx)
}

const (
	endUnknown = `
UPDATE deliveries SET status = 'unknown', finished_at = $1
WHERE ctid = ANY (ARRAY (SELECT ctid FROM deliveries WHERE status = 'sending' AND unknown_at <= $3
	ORDER BY unknown_at LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING kind`
	endExpired = `
UPDATE deliveries SET status = 'expired', finished_at = $1
WHERE ctid = ANY (ARRAY (SELECT ctid FROM deliveries WHERE status = 'pending' AND not_after < $1 AND idx > (SELECT untold FROM sequencer)
	ORDER BY not_after LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING kind`
	// The recipients of an event and the outcomes are kept for longer (D72).
	forget = `
WITH gone AS (
	DELETE FROM deliveries
	WHERE ctid = ANY (ARRAY (SELECT ctid FROM deliveries WHERE finished_at < $1
		ORDER BY finished_at LIMIT $2 FOR UPDATE SKIP LOCKED))
	RETURNING event, application, idx, tenant, kind, destination, happened_at, finished_at, status, reason, url),
kept AS (
	INSERT INTO delivered (event, application, idx, tenant, kind, patient, destination, happened_at, finished_at, status, reason, url)
	SELECT g.event, g.application, g.idx, g.tenant, g.kind, e.patient, g.destination, g.happened_at, g.finished_at, g.status, g.reason, g.url
	FROM gone g LEFT JOIN log USING (idx) LEFT JOIN events e ON e.position = log.position AND e.id = g.event
	ON CONFLICT (event, application) DO NOTHING)
SELECT kind FROM gone`
)

// Keep does one round of each task, until none has rows left.
func (k Keeper) Keep(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, keepLimit)
	defer cancel()
	now := k.Now()
	unknown, err := k.all(ctx, endUnknown, now, Unknown, k.RealNow())
	if err != nil {
		return fmt.Errorf("end abandoned deliveries: %w", err)
	}
	if unknown > 0 {
		k.Log.WarnContext(ctx, "a sender crashed; its deliveries become unknown and are not sent again", slog.Int("deliveries", unknown))
	}
	if _, err := k.all(ctx, endExpired, now, Expired); err != nil {
		return fmt.Errorf("end expired deliveries: %w", err)
	}
	forgotten, err := k.all(ctx, forget, now.Add(-k.Retention), "")
	if k.Swept != nil {
		k.Swept(forgotten, err)
	}
	if err != nil {
		return fmt.Errorf("delete old deliveries: %w", err)
	}
	return nil
}

// all repeats a statement in short transactions until it finds no more rows. It counts
// the deliveries that the statement ends with this status; it counts none if end is "".
func (k Keeper) all(ctx context.Context, statement string, at time.Time, end Status, further ...any) (total int, err error) {
	for {
		batch := &pgx.Batch{}
		batch.Queue(readCommitted)
		batch.Queue(plainPlan)
		var kinds []application.WebhookEvent
		batch.Queue(statement, append([]any{at, keepBatch}, further...)...).Query(func(rows pgx.Rows) (err error) {
			kinds, err = pgx.CollectRows(rows, pgx.RowTo[application.WebhookEvent])
			return err
		})
		if err := k.DB.SendBatch(ctx, batch).Close(); err != nil {
			return total, err
		}
		for _, kind := range kinds {
			if end != "" {
				k.Metrics.counted(kind, end, "")
			}
		}
		if total += len(kinds); len(kinds) < keepBatch {
			return total, nil
		}
	}
}
