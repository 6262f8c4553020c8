package replay

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// near is how few events may be left for a transaction that somebody waits for.
const near = 500

// approach brings the shadow close to the live tables, in short transactions.
func (r *Rebuild) approach(ctx context.Context, s *Shadow) error {
	log := &ahead{log: r.Log}
	log.log.Pool = r.Pool
	defer log.Close()
	for {
		var at, targets places
		err := pgx.BeginFunc(ctx, s.conn, func(tx pgx.Tx) (err error) {
			if targets, _, err = s.targets(ctx, tx); err != nil {
				return err
			}
			at, err = s.step(ctx, tx, log, targets)
			return err
		})
		if err != nil {
			return err
		}
		r.report(at, targets)
		if at.within(near, targets) {
			return nil
		}
	}
}

func (p places) within(n int64, targets places) bool {
	for name, target := range targets {
		if target-p[name] > n {
			return false
		}
	}
	return true
}

func (r *Rebuild) report(at, targets places) {
	if r.Progress == nil {
		return
	}
	furthest := int64(0)
	for _, target := range targets {
		furthest = max(furthest, target)
	}
	r.Progress(min(at.lowest(), furthest), furthest)
}

// targets is how far the live tables have come, as the transaction sees them:
// those kept at once to the head of the log (and past it), the others to where
// their consumers are.
func (s *Shadow) targets(ctx context.Context, tx pgx.Tx) (targets places, head int64, err error) {
	if err := tx.QueryRow(ctx, `SELECT head FROM public.sequencer`).Scan(&head); err != nil {
		return nil, 0, fmt.Errorf("read the head of the log: %w", err)
	}
	targets = places{}
	for _, p := range s.projections {
		idx := head
		if !isAtOnce(p.Name()) {
			err := tx.QueryRow(ctx, `SELECT coalesce((SELECT idx FROM public.feed_offsets WHERE consumer = $1), 0)`, p.Name()).Scan(&idx)
			if err != nil {
				return nil, 0, fmt.Errorf("read how far %s has come: %w", p.Name(), err)
			}
		}
		targets[p.Name()] = idx
	}
	return targets, head, nil
}

// catchUp brings the shadow to where the live tables are in this transaction,
// but for what is not in the log yet, and returns the head of the log.
func (r *Rebuild) catchUp(ctx context.Context, tx pgx.Tx, s *Shadow) (head int64, err error) {
	targets, head, err := s.targets(ctx, tx)
	if err != nil {
		return head, err
	}
	for {
		at, err := s.step(ctx, tx, within{tx, r.Log}, targets)
		if err != nil || len(at.behind(targets)) == 0 {
			return head, err
		}
	}
}
