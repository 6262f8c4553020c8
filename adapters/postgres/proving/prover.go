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
	Grown   *background.Broadcast // wakes the prover when the log has grown; the access record is polled
	Log     *slog.Logger
	Sources []Source
	Batch   int           // maximum leaves of one transaction
	Pace    time.Duration // minimum time between two rounds, so that leaves share a transaction
	Idle    time.Duration // maximum time between two rounds
}

// NewProver returns a prover with the default batch and pace.
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

// proveAll proves until it has caught up.
func (p *Prover) proveAll(ctx context.Context) error {
	for {
		if more, err := p.Prove(ctx); err != nil || !more {
			return err
		}
	}
}

// Prove adds one batch of each kind to the trees, and reports whether there may be more
// to add at once. It adds nothing while another prover works, or before unencrypted
// events are sealed.
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

// withoutFlush lets a batch commit before it is on disk. A lost batch is built again,
// so it waits neither for a flush nor for a standby.
const withoutFlush = `SET LOCAL synchronous_commit = off`

// whereToGoOn locks the row of a kind, if it has new leaves and no other prover has
// locked it.
const whereToGoOn = `SELECT idx FROM prover WHERE kind = $1 AND idx <> (%s) FOR UPDATE SKIP LOCKED`

// elect returns the idx of the trees, if this prover is elected.
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

// errAhead: leaves of the trees are missing from their source.
var errAhead = errors.New("the Merkle trees are ahead of the log, so events are missing: find the loss, then run frontdesk audit rebuild --proofs")

// notAhead returns an error if a source ends before the idx of the trees.
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
