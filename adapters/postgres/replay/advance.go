package replay

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// places are places in the log, by the names of projections.
type places map[string]int64

// lowest is the least of them.
func (p places) lowest() int64 {
	if len(p) == 0 {
		return 0
	}
	return slices.Min(slices.Collect(maps.Values(p)))
}

// behind are those of p that have not come to their targets.
func (p places) behind(targets places) places {
	short := places{}
	for name, idx := range p {
		if idx < targets[name] {
			short[name] = idx
		}
	}
	return short
}

// progress is how far each projection of the shadow has come. It is locked, so
// that of two rebuilds at once each goes on from where the other was.
func (s *Shadow) progress(ctx context.Context, tx pgx.Tx) (places, error) {
	rows, _ := tx.Query(ctx, `SELECT projection, idx FROM `+quoted(s.schema, "progress")+` FOR UPDATE`)
	found, at := places{}, places{}
	var name string
	var idx int64
	_, err := pgx.ForEachRow(rows, []any{&name, &idx}, func() error {
		found[name] = idx
		return nil
	})
	for _, p := range s.projections {
		at[p.Name()] = found[p.Name()]
	}
	if err != nil {
		return nil, fmt.Errorf("read how far the shadow has come: %w", err)
	}
	return at, nil
}

// step moves every projection that is behind its target past the next page of
// the log, and reports where they are then.
func (s *Shadow) step(ctx context.Context, tx pgx.Tx, log pages, targets places) (places, error) {
	at, err := s.progress(ctx, tx)
	if err != nil {
		return nil, err
	}
	short := at.behind(targets)
	if len(short) == 0 {
		return at, nil
	}
	page, err := log.Next(ctx, short.lowest())
	if err == nil && len(page) == 0 {
		err = fmt.Errorf("the log ends at idx %d, before the read models", short.lowest())
	}
	if err != nil {
		return nil, err
	}
	for name, from := range short {
		at[name] = max(from, min(page[len(page)-1].Idx, targets[name]))
	}
	return at, s.project(ctx, tx, page, at, func(name string, idx int64) bool {
		return short[name] < idx && idx <= targets[name] && short.has(name)
	})
}

func (p places) has(name string) bool { _, ok := p[name]; return ok }

// project moves the shadow past a page, each projection past those events that
// are meant for it, and notes where they are then.
func (s *Shadow) project(ctx context.Context, tx pgx.Tx, page []event.Recorded, at places, meant func(name string, idx int64) bool) error {
	batch := &pgx.Batch{}
	do := func(sql string, args ...any) { batch.Queue(sql, args...) }
	for _, p := range s.projections {
		name := p.Name()
		for _, e := range page {
			if meant(name, e.Idx) {
				p.Project(e, do)
			}
		}
		if idx, noted := at[name]; noted {
			batch.Queue(`UPDATE progress SET idx = $2 WHERE projection = $1`, name, idx)
		}
	}
	if err := use(ctx, tx, s.schema); err != nil {
		return err
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("project up to idx %d: %w", lastOf(page), err)
	}
	return nil
}

func lastOf(page []event.Recorded) int64 {
	if len(page) == 0 {
		return 0
	}
	return page[len(page)-1].Idx
}

// unsequenced moves the projections kept at once past what is stored and not
// in the log yet: their live tables have it already.
func (s *Shadow) unsequenced(ctx context.Context, tx pgx.Tx, log postgres.Log) error {
	if err := use(ctx, tx, live); err != nil {
		return err
	}
	log.Pool = tx
	page, err := log.Unsequenced(ctx)
	if err != nil || len(page) == 0 {
		return err
	}
	return s.project(ctx, tx, page, nil, func(name string, _ int64) bool { return isAtOnce(name) })
}

func isAtOnce(name string) bool {
	return slices.ContainsFunc(projections.AtOnce(), func(p projections.Projection) bool { return p.Name() == name })
}
