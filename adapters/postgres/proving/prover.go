package proving

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/background"
)

// Prover builds the trees behind the log.
type Prover struct {
	Pool    *pgxpool.Pool
	Grown   *background.Broadcast // wakes the prover when the log has grown; for the access record it looks by itself
	Log     *slog.Logger
	Sources []Source
	Batch   int           // most leaves of one transaction
	Pace    time.Duration // shortest time between two looks, so that leaves share a transaction
	Idle    time.Duration // longest time between two looks
}

// NewProver returns a prover with the usual batch and pace.
func NewProver(pool *pgxpool.Pool, grown *background.Broadcast, log *slog.Logger) *Prover {
	return &Prover{
		Pool: pool, Grown: grown, Log: log, Sources: Sources(),
		Batch: 5000, Pace: 250 * time.Millisecond, Idle: time.Second,
	}
}

// Run proves until ctx ends.
func (p *Prover) Run(ctx context.Context) {
	background.Loop{
		Every: p.Idle, Pace: p.Pace, Wake: p.Grown.Next, Do: p.proveAll, Fails: "the trees of the log were not built further", Log: p.Log,
	}.Run(ctx)
}

// proveAll proves until nothing is left to add at once.
func (p *Prover) proveAll(ctx context.Context) error {
	for {
		if more, err := p.Prove(ctx); err != nil || !more {
			return err
		}
	}
}

// Prove adds one batch of each kind to the trees, and reports whether there may be more
// to add at once. It adds nothing while another prover is at work, nor before what was
// written in clear is sealed.
func (p *Prover) Prove(ctx context.Context) (more bool, err error) {
	for _, from := range p.Sources {
		added, failed := p.prove(ctx, from)
		more, err = more || added == p.Batch, errors.Join(err, failed)
	}
	return more, err
}

const proveLimit = 30 * time.Second // for one batch

func (p *Prover) prove(ctx context.Context, from Source) (added int, err error) {
	ctx, cancel := context.WithTimeout(ctx, proveLimit)
	defer cancel()
	if err := from.Number(ctx, p.Pool, p.Batch); err != nil {
		return 0, err
	}
	err = pgx.BeginTxFunc(ctx, p.Pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		after, elected, err := elect(ctx, tx, from)
		if err != nil || !elected {
			return err
		}
		b, err := readBatch(ctx, tx, from, after, p.Batch)
		if err != nil {
			return err
		}
		added = b.added()
		if added == 0 {
			return notAhead(ctx, tx, from, after)
		}
		if err := b.join(ctx, tx); err != nil {
			return err
		}
		return b.store(ctx, tx)
	})
	if err != nil {
		return 0, fmt.Errorf("prove %s: %w", from.Kind, err)
	}
	return added, nil
}

// withoutFlush lets a batch end before it is on the disk. Whoever loses one makes the same
// again, so neither a flush nor a standby is waited for.
const withoutFlush = `SET LOCAL synchronous_commit = off`

// whereToGoOn locks the row of a kind, if there is something to prove and nobody else
// proves it.
const whereToGoOn = `SELECT idx FROM prover WHERE kind = $1 AND idx <> (%s) FOR UPDATE SKIP LOCKED`

// elect returns the idx that the trees have reached, if this prover is the one that works.
func elect(ctx context.Context, tx pgx.Tx, from Source) (after int64, elected bool, err error) {
	batch := &pgx.Batch{}
	batch.Queue(withoutFlush)
	batch.Queue(fmt.Sprintf(whereToGoOn, from.Head), from.Kind).QueryRow(func(row pgx.Row) error { return row.Scan(&after) })
	err = tx.SendBatch(ctx, batch).Close()
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("ask where to go on: %w", err)
	}
	return after, true, nil
}

// errAhead says that what the trees were built of is not all there.
var errAhead = errors.New("the trees hold more than what they were built of: find out what is lost, then run frontdesk audit rebuild --proofs")

// notAhead is an error if a source ends before the idx that the trees have reached.
func notAhead(ctx context.Context, tx pgx.Tx, from Source, reached int64) error {
	var head int64
	if err := tx.QueryRow(ctx, from.Head).Scan(&head); err != nil {
		return fmt.Errorf("ask where the log ends: %w", err)
	}
	if head < reached {
		return errAhead
	}
	return nil
}
