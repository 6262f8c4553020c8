package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Positions are drawn concurrently, so a lower one may become visible after a
// higher one: nobody can follow them. The sequencer gives each event that has
// been committed the next idx, in one short transaction a batch, and looks at
// the gaps it has left behind again each time. An event that was decided on the
// strength of another drew its position later and cannot be seen without it;
// ordering by position within what is visible is therefore enough to make the
// log causal.

// A Sequencer brings events into the log. Any process may run one: a row lock
// elects.
type Sequencer struct {
	Pool     *pgxpool.Pool
	Appended *Bell // wakes the sequencer
	Grown    *Bell // rung whenever the log has grown, by whomever
	Log      *slog.Logger
	Batch    int           // events a transaction, at most
	Pace     time.Duration // shortest wait between two batches: each costs a flush
	Idle     time.Duration // longest wait between two looks

	gaps watch
}

// NewSequencer is a sequencer with the usual batch and pace.
func NewSequencer(pool *pgxpool.Pool, appended, grown *Bell, log *slog.Logger) *Sequencer {
	return &Sequencer{
		Pool: pool, Appended: appended, Grown: grown, Log: log,
		Batch: 1000, Pace: 5 * time.Millisecond, Idle: 250 * time.Millisecond,
	}
}

const sequencingLimit = 10 * time.Second // for one look or one batch

// Run drains until ctx ends. An append of this process wakes it at once, but
// for the pace; what other processes have appended it looks for by itself, less
// and less often while nothing comes.
func (s *Sequencer) Run(ctx context.Context) {
	head, wait := int64(0), s.Pace
	for ctx.Err() == nil {
		appended, start := s.Appended.Next(), time.Now()
		now, err := s.step(ctx)
		if err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "sequencing failed; it is tried again", slog.Any("error", err))
		}
		wait = min(2*wait, s.Idle)
		if now > head {
			if now-head >= int64(s.Batch) {
				start = time.Time{} // there is more: no pause
			}
			head, wait = now, s.Pace
			s.Grown.Ring()
			appended = nil // the next batch is not begun before its time
		}
		pause(ctx, wait-time.Since(start), appended)
	}
}

// pause waits for a bell, but at most for a time.
func pause(ctx context.Context, atMost time.Duration, bell <-chan struct{}) {
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-bell:
	case <-timer.C:
	}
}

// Drain sequences all that has been appended before the call and returns when
// it is in the log, whoever put it there. A process that appends without
// serving calls it once.
func (s *Sequencer) Drain(ctx context.Context) error {
	for {
		_, waiting, err := s.look(ctx)
		if err != nil || !waiting {
			return err
		}
		head, err := s.batch(ctx)
		if err != nil {
			return err
		}
		if head > 0 {
			continue
		}
		pause(ctx, s.Pace, nil) // another sequencer is at it
		if ctx.Err() != nil {
			return fmt.Errorf("wait for another sequencer: %w", ctx.Err())
		}
	}
}

// step drains one batch, if there is any, and returns the head of the log.
func (s *Sequencer) step(ctx context.Context) (head int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, sequencingLimit)
	defer cancel()
	head, waiting, err := s.look(ctx)
	if err != nil || !waiting {
		return head, err
	}
	return s.batch(ctx)
}

// look asks for the ends of two indexes: counting would read the table.
func (s *Sequencer) look(ctx context.Context) (head int64, waiting bool, err error) {
	err = s.Pool.QueryRow(ctx, `
		SELECT head, coalesce((SELECT max(position) FROM events) > reached, false)
			OR EXISTS (SELECT FROM events WHERE position = ANY (gaps))
		FROM sequencer`).Scan(&head, &waiting)
	if err != nil {
		return 0, false, fmt.Errorf("look for unsequenced events: %w", err)
	}
	return head, waiting, nil
}

// elect locks the row, unless another sequencer has: whoever has it is alone,
// and the next statement sees what the last sequencer has committed. Planning
// that statement anew each time would take longer than running it.
const elect = `
SELECT head, reached, gaps, set_config('plan_cache_mode', 'force_generic_plan', true)
FROM sequencer FOR UPDATE SKIP LOCKED`

// place is one statement, so that the log and how far it has come are never
// apart. Filled gaps come first: their positions are lower.
const place = `
WITH found AS (
	SELECT position FROM events WHERE position = ANY ($3::bigint[])
	UNION ALL
	(SELECT position FROM events WHERE position > $2::bigint ORDER BY position LIMIT $4)),
placed AS (
	INSERT INTO log (idx, position)
	SELECT $1::bigint + row_number() OVER (ORDER BY position), position FROM found)
UPDATE sequencer SET
	head = $1::bigint + (SELECT count(*) FROM found),
	reached = greatest($2, (SELECT max(position) FROM found)),
	gaps = ARRAY (
		(SELECT unnest($3::bigint[]) UNION ALL SELECT generate_series($2::bigint + 1, (SELECT max(position) FROM found)))
		EXCEPT SELECT position FROM found)
RETURNING head, gaps`

// batch drains one batch, unless another sequencer is at it, and returns the
// head of the log; 0 when another is at it.
func (s *Sequencer) batch(ctx context.Context) (head int64, err error) {
	err = pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		var reached int64
		var gaps []int64
		err := tx.QueryRow(ctx, elect).Scan(&head, &reached, &gaps, nil)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		return s.gaps.settle(ctx, tx, gaps, func() (left []int64, err error) {
			err = tx.QueryRow(ctx, place, head, reached, gaps, s.Batch).Scan(&head, &left)
			return left, err
		})
	})
	if err != nil {
		return 0, fmt.Errorf("sequence a batch: %w", err)
	}
	return head, nil
}
