package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"frontdesk/commands"
)

// Sweeper deletes files that no event has named within a day, and answers that are
// too old to be given again. Any number of replicas may sweep.
type Sweeper struct {
	DB      DB
	Uploads *Uploads
	Now     func() time.Time
	Log     *slog.Logger
}

const (
	uploadLifetime = 24 * time.Hour // of a file that no event names
	sweepEvery     = time.Hour
	sweepLimit     = 5 * time.Minute
)

// Run sweeps at once and then every hour, until ctx ends. A sweep that fails is
// tried again an hour later.
func (s *Sweeper) Run(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "sweeping failed; it is tried again", slog.Any("error", err))
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Sweep sweeps once.
func (s *Sweeper) Sweep(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, sweepLimit)
	defer cancel()
	uploads, err := s.Uploads.Sweep(ctx, s.Now().Add(-uploadLifetime))
	if err != nil {
		return err
	}
	if uploads > 0 {
		s.Log.InfoContext(ctx, "uploads swept that no request names", slog.Int64("uploads", uploads))
	}
	_, err = s.DB.Exec(ctx, `DELETE FROM answers WHERE answered_at <= $1`, s.Now().Add(-commands.AnswerLifetime))
	if err != nil {
		return fmt.Errorf("sweep answers: %w", err)
	}
	return nil
}
