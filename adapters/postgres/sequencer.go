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
// been committed the next idx, in one short transaction a batch. An event that
// was decided on the strength of another drew its position later and cannot be
// seen without it; ordering by position within what is visible is therefore
// enough to make the log causal.

// A Sequencer drains unsequenced positions into the log. Any process may run
// one: a row lock elects.
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
		waiting, err := s.waiting(ctx)
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
	var waiting bool
	err = s.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM unsequenced), head FROM sequencer`).Scan(&waiting, &head)
	if err != nil {
		return 0, fmt.Errorf("look for unsequenced events: %w", err)
	}
	if !waiting {
		return head, nil
	}
	return s.batch(ctx)
}

func (s *Sequencer) waiting(ctx context.Context) (waiting bool, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM unsequenced)`).Scan(&waiting)
	if err != nil {
		return false, fmt.Errorf("look for unsequenced events: %w", err)
	}
	return waiting, nil
}

// drainBatch is one statement, so that no failure can come between taking the
// positions out and putting them into the log.
const drainBatch = `
WITH taken AS (
	DELETE FROM unsequenced
	WHERE position = ANY (ARRAY (SELECT position FROM unsequenced ORDER BY position LIMIT $1))
	RETURNING position),
placed AS (
	INSERT INTO log (idx, position)
	SELECT $2 + row_number() OVER (ORDER BY position), position FROM taken
	RETURNING idx)
UPDATE sequencer SET head = $2 + (SELECT count(*) FROM placed) RETURNING head`

// batch drains one batch, unless another sequencer is at it, and returns the
// head of the log; 0 when another is at it.
func (s *Sequencer) batch(ctx context.Context) (head int64, err error) {
	err = pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		// The lock comes first and alone: the next statement's snapshot must
		// not be older than the last sequencer's commit.
		err := tx.QueryRow(ctx, `SELECT head FROM sequencer FOR UPDATE SKIP LOCKED`).Scan(&head)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		return tx.QueryRow(ctx, drainBatch, s.Batch, head).Scan(&head)
	})
	if err != nil {
		return 0, fmt.Errorf("sequence a batch: %w", err)
	}
	return head, nil
}
