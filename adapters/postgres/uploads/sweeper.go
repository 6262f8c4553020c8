package uploads

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/background"
	"frontdesk/adapters/postgres"
	"frontdesk/commands"
)

// Sweeper deletes files that no event has named within a day, and answers that are
// too old to be given again. Any number of replicas may sweep.
type Sweeper struct {
	DB      postgres.DB
	Uploads *Store
	Now     func() time.Time // the practice's clock, by which answers grow old
	RealNow func() time.Time // by which uploads do
	Clock   *postgres.Clock  // nothing is swept while it is wrong; nil for always right
	Log     *slog.Logger
	Metrics *SweepMetrics // nil measures nothing
}

const (
	uploadLifetime = 24 * time.Hour // of a file that no event names
	sweepEvery     = time.Hour
	sweepLimit     = 5 * time.Minute // for each
)

// Run sweeps at once and then every hour, until ctx ends. It retries a sweep that
// fails an hour later.
func (s *Sweeper) Run(ctx context.Context) {
	background.Loop{Every: sweepEvery, Do: s.Sweep, Fails: "sweeping failed", Log: s.Log}.Run(ctx)
}

// Sweep sweeps once. A failed sweep of uploads does not stop that of answers. A clock that
// is a day ahead would sweep files still in use (D138).
func (s *Sweeper) Sweep(ctx context.Context) error {
	if err := s.Clock.Err(); err != nil {
		return err
	}
	return errors.Join(s.sweepUploads(ctx), s.sweepAnswers(ctx))
}

func (s *Sweeper) sweepUploads(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, sweepLimit)
	defer cancel()
	uploads, err := s.Uploads.Sweep(ctx, s.RealNow().Add(-uploadLifetime))
	s.Metrics.Swept(SweptUploads, uploads, err)
	if err != nil {
		return err
	}
	if uploads > 0 {
		s.Log.InfoContext(ctx, "uploads swept that no request names", slog.Int64("uploads", uploads))
	}
	return nil
}

func (s *Sweeper) sweepAnswers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, sweepLimit)
	defer cancel()
	answers, err := sweep(ctx, s.DB, oldAnswers, s.Now().Add(-commands.ResponseLifetime))
	s.Metrics.Swept(SweptAnswers, answers, err)
	if err != nil {
		return fmt.Errorf("sweep answers: %w", err)
	}
	return nil
}

// sweepBatch is how many rows are swept in one transaction. It is short, because others
// may wait for these rows.
const sweepBatch = 1000

const oldAnswers = `
WITH old AS MATERIALIZED (SELECT ctid AS row FROM answers WHERE answered_at <= $1 ORDER BY answered_at LIMIT $2 FOR UPDATE SKIP LOCKED),
swept AS (DELETE FROM answers WHERE ctid = ANY (ARRAY (SELECT row FROM old)) RETURNING 1)
SELECT (SELECT count(*) FROM old), (SELECT count(*) FROM swept)`

// sweep repeats a statement, which returns the numbers of seen and of swept rows, until none
// is left. It returns the number of swept rows.
func sweep(ctx context.Context, db postgres.DB, statement string, before time.Time) (total int64, err error) {
	for {
		var seen, swept int64
		err := db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
			return tx.QueryRow(ctx, statement, before, sweepBatch).Scan(&seen, &swept)
		})
		if total += swept; err != nil || seen < sweepBatch {
			return total, err
		}
	}
}
