package proving

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/proof"
)

// batch is the additions of one transaction to the trees of a kind.
type batch struct {
	kind  proof.Kind
	last  int64 // idx of the newest leaf
	trees map[string]*growth
}

// growth is the additions of a batch to one tree.
type growth struct {
	size   int64       // before
	tail   []tlog.Hash // the existing one, if a tile becomes full
	first  int64       // idx of the first in the tail
	leaves []Leaf      // new ones
}

// readBatch reads the leaves after an idx.
func readBatch(ctx context.Context, tx pgx.Tx, from Source, after int64, most int) (*batch, error) {
	b := &batch{kind: from.Kind, last: after, trees: map[string]*growth{}}
	for leaf, err := range from.Leaves(ctx, tx, after, most) {
		if err != nil {
			return nil, fmt.Errorf("read leaves after idx %d: %w", b.last, err)
		}
		g := b.trees[leaf.Tenant]
		if g == nil {
			g = &growth{}
			b.trees[leaf.Tenant] = g
		}
		g.leaves = append(g.leaves, leaf)
		b.last = leaf.Idx
	}
	return b, nil
}

// added is the number of leaves in a batch.
func (b *batch) added() (n int) {
	for _, g := range b.trees {
		n += len(g.leaves)
	}
	return n
}

// treesNow are the sizes of trees, and the tails of those that fill a tile now.
const treesNow = `
SELECT t.tenant, t.size, coalesce(tail.first, 0), coalesce(tail.hashes, '')
FROM unnest($2::text[], $3::int[]) AS wanted (tenant, added)
JOIN trees t ON t.tenant = wanted.tenant AND t.kind = $1
LEFT JOIN LATERAL (
	SELECT min(first_idx) AS first, string_agg(hashes, '' ORDER BY n) AS hashes
	FROM tree_tail WHERE tenant = t.tenant AND kind = t.kind AND t.size % 256 + wanted.added >= 256) tail ON true`

// join reads the current state of the trees.
func (b *batch) join(ctx context.Context, tx pgx.Tx) error {
	var tenants []string
	var added []int
	for tenant, g := range b.trees {
		tenants, added = append(tenants, tenant), append(added, len(g.leaves))
	}
	rows, _ := tx.Query(ctx, treesNow, b.kind, tenants, added)
	var tenant string
	var size, first int64
	var tail []byte
	_, err := pgx.ForEachRow(rows, []any{&tenant, &size, &first, &tail}, func() error {
		return b.trees[tenant].behind(size, first, hashesOf(tail))
	})
	if err != nil {
		return fmt.Errorf("read the ends of the trees: %w", err)
	}
	return nil
}

func (g *growth) behind(size, first int64, tail []tlog.Hash) error {
	g.size, g.first, g.tail = size, first, tail
	if g.fills() && int64(len(tail)) != size%TileWidth {
		return fmt.Errorf("a tree of %d leaves has %d of them in its tail: run frontdesk audit rebuild --proofs", size, len(tail))
	}
	return nil
}

// fills reports whether a tile becomes full.
func (g *growth) fills() bool { return g.size%TileWidth+int64(len(g.leaves)) >= TileWidth }
