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
// elects. It remembers nothing, so that one value serves a Run and any number
// of Drains at once.
type Sequencer struct {
	Pool     *pgxpool.Pool
	Appended *Bell // wakes the sequencer
	Grown    *Bell // rung whenever the log has grown, by whomever
	Log      *slog.Logger
	Batch    int           // events a transaction, at most
	Pace     time.Duration // shortest wait between two batches: each costs a flush
	Idle     time.Duration // longest wait between two looks
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
	var gaps gapWatch
	head, wait, appended := int64(0), s.Pace, s.Appended.Next()
	for ctx.Err() == nil {
		woken, start := rung(appended), time.Now()
		appended = s.Appended.Next()
		now, err := s.step(ctx, &gaps, woken)
		if err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "sequencing failed; it is tried again", slog.Any("error", err))
		}
		wait = min(2*wait, s.Idle)
		bell := appended
		if now > head {
			if now-head >= int64(s.Batch) {
				start = time.Time{} // there is more: no pause
			}
			head, wait = now, s.Pace
			s.Grown.Ring()
			bell = nil // the next batch is not begun before its time
		}
		pause(ctx, wait-time.Since(start), bell)
	}
}

func rung(bell <-chan struct{}) bool {
	select {
	case <-bell:
		return true
	default:
		return false
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
	var newest int64
	if err := s.Pool.QueryRow(ctx, `SELECT coalesce(max(position), 0) FROM events`).Scan(&newest); err != nil {
		return fmt.Errorf("look for the newest event: %w", err)
	}
	var gaps gapWatch
	for {
		waiting, err := s.behind(ctx, newest)
		if err != nil || !waiting {
			return err
		}
		head, err := s.batch(ctx, &gaps)
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

// behind tells whether an event up to a position is not in the log.
func (s *Sequencer) behind(ctx context.Context, position int64) (waiting bool, err error) {
	err = s.Pool.QueryRow(ctx, `
		SELECT reached < $1 OR EXISTS (SELECT FROM events WHERE position = ANY (gaps) AND position <= $1)
		FROM sequencer`, position).Scan(&waiting)
	if err != nil {
		return false, fmt.Errorf("look for unsequenced events: %w", err)
	}
	return waiting, nil
}

// step drains one batch and returns the head of the log. It looks first whether
// there is anything, unless the caller has heard so.
func (s *Sequencer) step(ctx context.Context, gaps *gapWatch, heard bool) (head int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, sequencingLimit)
	defer cancel()
	if !heard {
		head, waiting, err := s.look(ctx)
		if err != nil || !waiting {
			return head, err
		}
	}
	return s.batch(ctx, gaps)
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

// elect locks the row and leaves a mark in the transaction, unless another
// sequencer has the lock. It comes first and alone: the snapshot of what follows
// must not be older than the last sequencer's commit. In one SELECT, Postgres
// would leave the mark before it tries the lock.
//
// To plan what follows anew each time, or to compile it, would take longer than
// to run it; and a plan that is kept must be one of indexes, because it may be
// made while the tables are empty, when reading all of them looks cheap.
const elect = `
WITH mine AS MATERIALIZED (SELECT FROM sequencer FOR UPDATE SKIP LOCKED)
SELECT set_config('frontdesk.sequencer', 'elected', true),
	set_config('plan_cache_mode', 'force_generic_plan', true), set_config('jit', 'off', true),
	set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)
FROM mine`

// place is one statement, so that the log and how far it has come are never
// apart. Filled gaps come first: their positions are lower. Who is not elected
// finds nothing, and gets no row.
const place = `
WITH s AS MATERIALIZED (
	SELECT head, reached, gaps FROM sequencer WHERE current_setting('frontdesk.sequencer', true) = 'elected'),
found AS (
	SELECT position FROM events WHERE position = ANY ((SELECT gaps FROM s)::bigint[])
	UNION ALL
	(SELECT position FROM events WHERE position > (SELECT reached FROM s) ORDER BY position LIMIT %d)),
placed AS (
	INSERT INTO log (idx, position)
	SELECT (SELECT head FROM s) + row_number() OVER (ORDER BY position), position FROM found),
moved AS (
	UPDATE sequencer SET
		head = s.head + (SELECT count(*) FROM found),
		reached = greatest(s.reached, (SELECT max(position) FROM found)),
		gaps = ARRAY (
			(SELECT unnest(gaps) FROM s
			UNION ALL
			SELECT generate_series((SELECT reached FROM s) + 1, (SELECT max(position) FROM found)))
			EXCEPT SELECT position FROM found)
	FROM s WHERE EXISTS (SELECT FROM found)
	RETURNING sequencer.gaps)
SELECT head + (SELECT count(*) FROM found), coalesce((SELECT gaps FROM moved), gaps) = '{}' FROM s`

// batch drains one batch, unless another sequencer is at it, and returns the
// head of the log; 0 when another is at it. It is one round trip and one
// implicit transaction.
func (s *Sequencer) batch(ctx context.Context, gaps *gapWatch) (head int64, err error) {
	batch := &pgx.Batch{}
	batch.Queue(elect)
	gaps.queue(batch)
	batch.Queue(fmt.Sprintf(place, s.Batch)).QueryRow(func(row pgx.Row) error {
		err := row.Scan(&head, &gaps.none)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	if err := s.Pool.SendBatch(ctx, batch).Close(); err != nil {
		return 0, fmt.Errorf("sequence a batch: %w", err)
	}
	return head, nil
}
