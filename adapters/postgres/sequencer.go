package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/domain/epoch"
)

// Appends draw positions concurrently, so a lower position may become visible after
// a higher one, and nobody can read events safely in that order. The sequencer gives
// each committed event the next idx. It does so in batches, each of them one short
// transaction that also looks again at the gaps that earlier ones left. The log is
// causal: an event that was decided on the strength of another drew its position
// later and is never visible without it, so it is enough to order the visible events
// by position.

// Sequencer gives events their places in the log. Any process may run one, because a
// row lock elects the one that works. A value serves one Run and any number of Drains
// at once: all that it keeps is how far it has seen the log come.
type Sequencer struct {
	Pool       *pgxpool.Pool
	Appended   *Bell // wakes the sequencer
	Grown      *Bell // rung when the log has grown, through this sequencer or another
	Log        *slog.Logger
	Durability Durability    // whether a promoted standby may be trusted to have everything
	Batch      int           // most events of one transaction
	Pace       time.Duration // shortest time between two batches, because each costs a flush
	Idle       time.Duration // longest time between two looks

	seen memory
}

// NewSequencer returns a sequencer with the usual batch and pace.
func NewSequencer(pool *pgxpool.Pool, appended, grown *Bell, log *slog.Logger) *Sequencer {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Sequencer{
		Pool: pool, Appended: appended, Grown: grown, Log: log,
		Batch: 1000, Pace: 5 * time.Millisecond, Idle: 250 * time.Millisecond,
	}
}

const sequencingLimit = 10 * time.Second // for one look or one batch

// Run sequences until ctx ends. An append of this process wakes it at once, or as
// soon as the pace allows. For the appends of other processes it looks by itself,
// less and less often while it finds nothing.
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
		if now > 0 && now != head { // it is less after the log has lost its end
			if now-head >= int64(s.Batch) {
				start = time.Time{} // there is more: no pause
			}
			head, wait = now, s.Pace
			s.Grown.Ring()
			bell = nil // no bell starts the next batch before the pace allows it
		}
		pause(ctx, wait-time.Since(start), bell)
	}
}

// step sequences one batch and returns the head of the log. Unless the caller has
// heard the bell, it first looks whether there is anything to do.
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

// look asks whether events wait, or a new epoch has to begin. It reads only the ends
// of indexes; counting would read the table.
func (s *Sequencer) look(ctx context.Context) (head int64, waiting bool, err error) {
	var now epoch.Mark
	err = s.Pool.QueryRow(ctx, `
		SELECT epoch, head, NOT (SELECT goes_on FROM history) OR coalesce((SELECT max(position) FROM events) > reached, false)
			OR EXISTS (SELECT FROM events WHERE position = ANY (gaps))
		FROM sequencer`).Scan(&now.Epoch, &now.Head, &waiting)
	if err != nil {
		return 0, false, fmt.Errorf("look for unsequenced events: %w", err)
	}
	s.remember(ctx, now)
	return now.Head, waiting, nil
}

// batch sequences one batch and returns the head of the log, or 0 if another
// sequencer was elected. It is one round trip and one implicit transaction. If the
// database is in another history, it begins an epoch instead.
func (s *Sequencer) batch(ctx context.Context, gaps *gapWatch) (head int64, err error) {
	batch := &pgx.Batch{}
	placing := s.queue(batch, gaps)
	if err := s.Pool.SendBatch(ctx, batch).Close(); err != nil {
		return 0, fmt.Errorf("sequence a batch: %w", err)
	}
	if placing.astray {
		return s.beginEpoch(ctx)
	}
	s.remember(ctx, placing.mark)
	return placing.mark.Head, nil
}

// placing is what a batch has found.
type placing struct {
	astray bool       // the database is in another history than the row names
	mark   epoch.Mark // how far the log has come; zero if the batch has placed nothing
}

// queue adds the election and the placing to a batch, and between them a look at the
// gaps, if it is time. What it returns is filled in while the batch is sent.
func (s *Sequencer) queue(batch *pgx.Batch, gaps *gapWatch) *placing {
	found := &placing{}
	unlessElsewhere := func(err error) error {
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	}
	batch.Queue(elect).QueryRow(func(row pgx.Row) error {
		return unlessElsewhere(row.Scan(&found.astray))
	})
	gaps.queue(batch)
	batch.Queue(fmt.Sprintf(place, s.Batch)).QueryRow(func(row pgx.Row) error {
		return unlessElsewhere(row.Scan(&found.mark.Epoch, &found.mark.Head, &gaps.none))
	})
	return found
}

// elect locks the sequencer's row and sets a mark for this transaction, unless
// another sequencer has the lock, or the database is not in the history that the row
// names. It is a statement of its own, so that the next statements have a snapshot
// from after the last sequencer's commit. The lock is in a WITH, because in one plain
// SELECT Postgres would set the mark before it tries the lock.
//
// The other settings are about speed. To plan or to compile the next statements each
// time would take longer than to run them, so their plans are kept. A kept plan must
// use indexes, because it may be made while the tables are empty and reading all of
// them looks cheap.
const elect = `
WITH mine AS MATERIALIZED (SELECT goes_on FROM history FOR UPDATE SKIP LOCKED),
settings AS MATERIALIZED (
	SELECT set_config('frontdesk.sequencer', CASE WHEN goes_on THEN 'elected' ELSE 'astray' END, true) AS mark, commit_durably(),
	set_config('plan_cache_mode', 'force_generic_plan', true), set_config('jit', 'off', true),
	set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)
	FROM mine)
SELECT mark = 'astray' FROM settings`

// place puts the next events into the log and moves the sequencer's row, in one
// statement so that the two always agree. Filled gaps come first, because their
// positions are lower. A sequencer that was not elected changes nothing and gets no
// row.
const place = `
WITH s AS MATERIALIZED (
	SELECT epoch, head, reached, gaps FROM sequencer WHERE current_setting('frontdesk.sequencer', true) = 'elected'),
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
SELECT epoch, head + (SELECT count(*) FROM found), coalesce((SELECT gaps FROM moved), gaps) = '{}' FROM s`

// Drain returns once every event that was appended before the call is in the log,
// through this sequencer or another. A process that appends and does not serve calls
// it once.
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

// behind reports whether an event up to a position is not in the log yet.
func (s *Sequencer) behind(ctx context.Context, position int64) (waiting bool, err error) {
	err = s.Pool.QueryRow(ctx, `
		SELECT reached < $1 OR EXISTS (SELECT FROM events WHERE position = ANY (gaps) AND position <= $1)
		FROM sequencer`, position).Scan(&waiting)
	if err != nil {
		return false, fmt.Errorf("look for unsequenced events: %w", err)
	}
	return waiting, nil
}
