package proving

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/background"
	"frontdesk/domain/proof"
)

// Rebuild builds the trees again while the service runs. It needs the rights of the
// database's owner. Until it is done, there are no proofs. If it is stopped, running
// provers complete the rest.
type Rebuild struct {
	Prover   *Prover
	Progress func(done, all int64) // receives the number of leaves; may be nil
}

// Run returns the trees that differed before: they, or their source, were changed.
func (r Rebuild) Run(ctx context.Context) (others []proof.Tree, err error) {
	for _, from := range r.Prover.Sources {
		before, err := r.forget(ctx, from)
		if err != nil {
			return nil, fmt.Errorf("forget the trees of %s: %w", from.Kind, err)
		}
		if err := r.build(ctx, from); err != nil {
			return nil, err
		}
		now, err := r.others(ctx, before)
		if err != nil {
			return nil, err
		}
		others = append(others, now...)
	}
	return others, nil
}

// tree is an old tree.
type tree struct {
	size int64
	root tlog.Hash // zero if it was unreadable
}

// forget cuts the trees of a kind in one transaction, which blocks a working prover,
// and returns their old state.
func (r Rebuild) forget(ctx context.Context, from Source) (before map[proof.Tree]tree, err error) {
	err = pgx.BeginTxFunc(ctx, r.Prover.Pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT FROM prover WHERE kind = $1 FOR UPDATE`, from.Kind); err != nil {
			return err
		}
		if before, err = asTheyAre(ctx, Trees{tx}, from.Kind); err != nil {
			return err
		}
		return cut(ctx, tx, from)
	})
	return before, err
}

// asTheyAre returns the current trees of a kind. A damaged one has no root.
func asTheyAre(ctx context.Context, trees Trees, kind proof.Kind) (map[proof.Tree]tree, error) {
	sizes, err := trees.Sizes(ctx)
	if err != nil {
		return nil, err
	}
	found := map[proof.Tree]tree{}
	for key, size := range sizes {
		if key.Kind != kind {
			continue
		}
		root, err := trees.Root(ctx, key, size)
		if err != nil && ctx.Err() != nil {
			return nil, err
		}
		found[key] = tree{size, root}
	}
	return found, nil
}

// build proves until the trees have reached the initial end of the source.
func (r Rebuild) build(ctx context.Context, from Source) error {
	var head, idx int64
	if err := r.Prover.Pool.QueryRow(ctx, from.Head).Scan(&head); err != nil {
		return fmt.Errorf("ask where the log ends: %w", err)
	}
	for idx < head {
		added, err := r.Prover.prove(ctx, from)
		if err != nil {
			return err
		}
		if err := r.Prover.Pool.QueryRow(ctx, `SELECT idx FROM prover WHERE kind = $1`, from.Kind).Scan(&idx); err != nil {
			return fmt.Errorf("ask how far the trees are: %w", err)
		}
		if r.Progress != nil {
			r.Progress(min(idx, head), head)
		}
		if added == 0 {
			background.Sleep(ctx, r.Prover.Pace) // another prover works
		}
	}
	return nil
}

// others returns the trees with a new root at their old size.
func (r Rebuild) others(ctx context.Context, before map[proof.Tree]tree) (found []proof.Tree, err error) {
	trees := Trees{r.Prover.Pool}
	for key, old := range before {
		size, err := trees.Size(ctx, key)
		if err != nil {
			return nil, err
		}
		var root tlog.Hash
		if size >= old.size {
			root, err = trees.Root(ctx, key, old.size)
		}
		if err != nil {
			return nil, err
		}
		if size < old.size || root != old.root {
			found = append(found, key)
		}
	}
	slices.SortFunc(found, func(a, b proof.Tree) int { return cmp.Compare(a.Tenant, b.Tenant) })
	return found, nil
}
