package eventstore

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/domain/epoch"
)

// Appends draw positions concurrently, so a lower position may become visible after
// a higher one, and reading events in that order would miss some. The sequencer gives
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
	Appended   *background.Broadcast // wakes the sequencer
	Grown      *background.Broadcast // notified when the log has grown, through this sequencer or another
	Log        *slog.Logger
	Durability postgres.Durability // whether a promoted standby may be trusted to have everything
	Batch      int                 // most events of one transaction
	Pace       time.Duration       // shortest time between the beginnings of two batches, because each costs a flush
	Idle       time.Duration       // longest time between two looks
	Now        func() time.Time    // of the events that begin an epoch

	seen memory
}

// NewSequencer returns a sequencer with the usual batch, pace and clock.
func NewSequencer(pool *pgxpool.Pool, appended, grown *background.Broadcast, log *slog.Logger) *Sequencer {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Sequencer{
		Pool: pool, Appended: appended, Grown: grown, Log: log,
		Batch: 1000, Pace: 3 * time.Millisecond, Idle: 250 * time.Millisecond, Now: clock.System,
	}
}

const sequencingLimit = 10 * time.Second // for one look or one batch

// Run sequences until ctx ends. An append of this process wakes it at once, or as
// soon as the pace allows. For the appends of other processes it polls, less and less often
// while it finds nothing. After a failure no append wakes it.
func (s *Sequencer) Run(ctx context.Context) {
	var gaps gapWatch
	rest := 4 * s.Pace // appends of this process wake the sequencer sooner
	head, wait, appended := int64(0), rest, s.Appended.Next()
	for ctx.Err() == nil {
		woken, watch := background.Notified(appended), clock.Start()
		appended = s.Appended.Next()
		now, err := s.step(ctx, &gaps, woken)
		wait = min(2*wait, s.Idle)
		wake := appended
		if err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "sequencing failed; retrying", slog.Any("error", err))
			wake = nil
		}
		if now.head > 0 && now.head != head { // it is less after the log has lost its end
			pace := paceAfter(watch.Elapsed(), s.Pace)
			head, wait = now.head, rest
			s.Grown.Notify()
			if !now.more {
				background.Sleep(ctx, pace-watch.Elapsed()) // no append starts the next batch before the pace allows it
			}
		}
		if !now.more {
			background.Wait(ctx, wait-watch.Elapsed(), wake)
		}
	}
}

// busyPace is the longest time between the beginnings of two batches, or of two pages of a
// consumer, while events come.
const busyPace = 12 * time.Millisecond

// paceAfter returns the time from the beginning of a batch or a page to that of the next:
// three times as long as it took, within bounds. So a lone event does not wait for company.
// On a busy machine each transaction takes longer, and more events share the next one.
func paceAfter(took, least time.Duration) time.Duration {
	return max(least, min(3*took, busyPace))
}

// progress is how far a step has seen the log come.
type progress struct {
	head int64 // 0 if another sequencer was elected
	more bool  // there may be more to place at once
}

// step sequences one batch. Unless an append has woken the caller, it first looks
// whether there is anything to do.
func (s *Sequencer) step(ctx context.Context, gaps *gapWatch, heard bool) (progress, error) {
	if !heard {
		head, waiting, err := s.look(ctx, gaps)
		if err != nil || !waiting && !gaps.due() {
			return progress{head: head}, err
		}
	}
	return s.batch(ctx, gaps)
}

// look asks whether events wait, or a new epoch has to begin. It reads only the ends
// of indexes; counting would read the table.
func (s *Sequencer) look(ctx context.Context, gaps *gapWatch) (head int64, waiting bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, sequencingLimit)
	defer cancel()
	var now epoch.Mark
	var goesOn bool
	err = s.Pool.QueryRow(ctx, readProgress).Scan(&now.Epoch, &now.Head, &gaps.open, &goesOn, &waiting)
	if err != nil {
		return 0, false, fmt.Errorf("look for unsequenced events: %w", err)
	}
	if goesOn { // a head found in another history is where the log survived, not where it was
		s.remember(ctx, now)
	}
	return now.Head, waiting || !goesOn, nil
}

const readProgress = `
SELECT epoch, head, gaps <> '{}' OR cardinality(late) > 0, (SELECT goes_on FROM history),
	coalesce((SELECT max(position) FROM events) > reached, false) OR ` + mayBeFilled + `
FROM sequencer`

// batch sequences one batch: one round trip, one transaction, one call of the owner's
// function sequence_events, which reads everything it needs and trusts no argument. If the
// database is in another history, batch begins an epoch instead.
func (s *Sequencer) batch(ctx context.Context, gaps *gapWatch) (progress, error) {
	var found struct {
		astray, more, open, crowded *bool
		epoch                       *int
		head                        *int64
	}
	batch := &pgx.Batch{}
	batch.Queue(postgres.ReadCommitted)
	batch.Queue(sequenceEvents, s.Batch, gaps.look()).QueryRow(func(row pgx.Row) error {
		return row.Scan(&found.astray, &found.epoch, &found.head, &found.more, &found.open, &found.crowded)
	})
	limited, cancel := context.WithTimeout(ctx, sequencingLimit)
	defer cancel()
	err := s.Pool.SendBatch(limited, batch).Close()
	switch {
	case err != nil:
		return progress{}, fmt.Errorf("sequence a batch: %w", err)
	case found.astray == nil:
		return progress{}, nil
	case *found.astray:
		head, err := s.beginEpoch(ctx)
		return progress{head: head}, err
	}
	gaps.open, gaps.crowded = *found.open, *found.crowded
	s.remember(ctx, epoch.Mark{Epoch: *found.epoch, Head: *found.head})
	return progress{*found.head, *found.more}, nil
}

const sequenceEvents = `SELECT astray, now_epoch, now_head, more, open, crowded FROM sequence_events($1, $2)`

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
		now, err := s.batch(ctx, &gaps)
		if err != nil {
			return err
		}
		if now.head > 0 {
			continue
		}
		background.Sleep(ctx, s.Pace) // another sequencer is at it
		if ctx.Err() != nil {
			return fmt.Errorf("wait for another sequencer: %w", ctx.Err())
		}
	}
}

// behind reports whether an event up to a position may not be in the log yet.
func (s *Sequencer) behind(ctx context.Context, position int64) (waiting bool, err error) {
	err = s.Pool.QueryRow(ctx, isBehind, position).Scan(&waiting)
	if err != nil {
		return false, fmt.Errorf("look for unsequenced events: %w", err)
	}
	return waiting, nil
}

const isBehind = `SELECT reached < $1 OR ` + mayBeFilled + ` FROM sequencer`
