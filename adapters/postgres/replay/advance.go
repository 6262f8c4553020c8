package replay

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// fewEvents is how many events may be left for the transaction that blocks others.
const fewEvents = 500

// approach brings the shadow close to the live tables, in short transactions.
func (r *Rebuild) approach(ctx context.Context, s *Shadow) error {
	log := r.ahead()
	defer log.Close()
	for {
		var at, targets places
		err := s.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) (err error) {
			if targets, _, err = s.targets(ctx, tx); err != nil {
				return err
			}
			at, err = s.step(ctx, tx, log, targets)
			return err
		})
		if err != nil {
			return err
		}
		if r.Progress != nil {
			r.Progress(min(at.lowest(), targets.highest()), targets.highest())
		}
		if at.near(fewEvents, targets) {
			return nil
		}
	}
}

// catchUp brings the shadow to where the live tables are in this transaction, except
// events that are not in the log yet. It returns the head of the log.
func (r *Rebuild) catchUp(ctx context.Context, tx pgx.Tx, s *Shadow) (head int64, err error) {
	targets, head, err := s.targets(ctx, tx)
	if err != nil {
		return head, err
	}
	for {
		at, err := s.step(ctx, tx, r.next(tx), targets)
		if err != nil || len(at.behind(targets)) == 0 {
			return head, err
		}
	}
}

// unsequenced applies to synchronous projections the events that are stored but not in
// the log yet, because their live tables show these events already.
func (s *Shadow) unsequenced(ctx context.Context, tx pgx.Tx, log eventstore.Log) error {
	if err := use(ctx, tx, live); err != nil {
		return err
	}
	log.DB = tx
	page, err := log.Unsequenced(ctx)
	if err != nil || len(page) == 0 {
		return err
	}
	return s.project(ctx, tx, page, nil, func(name string, _ int64) bool { return isAtOnce(name) })
}

// step applies the next page of the log to every projection behind its target, and
// returns their positions.
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
	if err != nil {
		return nil, err
	}
	if len(page) == 0 {
		return nil, fmt.Errorf("the log ends at idx %d, before the read models", short.lowest())
	}
	for name, from := range short {
		at[name] = max(from, min(lastOf(page), targets[name]))
	}
	return at, s.project(ctx, tx, page, at, func(name string, idx int64) bool {
		return short[name] < idx && idx <= targets[name] && short.has(name)
	})
}

// project applies to each projection of the shadow the events of a page that are meant
// for it. It stores at as their positions.
func (s *Shadow) project(ctx context.Context, tx pgx.Tx, page []event.Recorded, at places, meant func(name string, idx int64) bool) error {
	batch := &pgx.Batch{}
	for _, p := range s.projections {
		name := p.Name()
		var statements []projections.Statement
		for _, e := range page {
			if meant(name, e.Idx) {
				statements = append(statements, projections.StatementsFor(e, p)...)
			}
		}
		projections.Queue(batch, statements)
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
