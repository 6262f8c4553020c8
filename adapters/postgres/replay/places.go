package replay

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"frontdesk/projections"
)

// places maps each projection's name to its idx.
type places map[string]int64

// lowest returns the lowest idx, and 0 if absent.
func (p places) lowest() int64 {
	if len(p) == 0 {
		return 0
	}
	return slices.Min(slices.Collect(maps.Values(p)))
}

// highest returns the highest idx, and 0 if absent.
func (p places) highest() int64 {
	if len(p) == 0 {
		return 0
	}
	return slices.Max(slices.Collect(maps.Values(p)))
}

// behind returns the places of the projections that have not reached their targets.
func (p places) behind(targets places) places {
	short := places{}
	for name, idx := range p {
		if idx < targets[name] {
			short[name] = idx
		}
	}
	return short
}

// near reports whether every projection has at most n events to go.
func (p places) near(n int64, targets places) bool {
	for name, target := range targets {
		if target-p[name] > n {
			return false
		}
	}
	return true
}

func (p places) has(name string) bool { _, ok := p[name]; return ok }

// progress returns the position of each projection of the shadow, and locks these rows,
// so that the remains of an interrupted rebuild cannot change them.
func (s *Shadow) progress(ctx context.Context, tx pgx.Tx) (places, error) {
	rows, _ := tx.Query(ctx, `SELECT projection, idx FROM `+quoted(s.schema, "progress")+` FOR UPDATE`)
	found, at := places{}, places{}
	var name string
	var idx int64
	_, err := pgx.ForEachRow(rows, []any{&name, &idx}, func() error {
		found[name] = idx
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read how far the shadow has come: %w", err)
	}
	for _, p := range s.projections {
		at[p.Name()] = found[p.Name()]
	}
	return at, nil
}

// targets returns the positions of the live tables in the transaction's snapshot.
// Synchronous projections are at the head of the log, and beyond it by the events that
// are not in the log yet. Each of the others is at its consumer's offset.
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

// isAtOnce reports whether a projection changes in the transaction of an append.
func isAtOnce(name string) bool {
	return !slices.ContainsFunc(projections.Following(), func(p projections.Follower) bool { return p.Name() == name })
}
