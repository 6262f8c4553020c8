package proving

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/proof"
)

// Trees are cut back to the beginning of their source, because earlier leaves cannot be
// built again. The rest of a tile, or of a tail, becomes the tail.
const (
	remainingTails = `
SELECT b.tenant, b.size, coalesce(tile.first_idx, tail.first, 0), coalesce(substr(coalesce(tile.hashes, tail.hashes), 1, (b.size % 256)::int * 32), '')
FROM unnest($2::text[], $3::bigint[]) AS b (tenant, size)
LEFT JOIN tree_tiles tile ON tile.tenant = b.tenant AND tile.kind = $1 AND tile.n = b.size / 256
LEFT JOIN LATERAL (SELECT min(first_idx) AS first, string_agg(hashes, '' ORDER BY n) AS hashes FROM tree_tail WHERE tenant = b.tenant AND kind = $1) tail ON true`
	cutTails = `DELETE FROM tree_tail WHERE kind = $1`
	cutTiles = `
DELETE FROM tree_tiles t WHERE kind = $1 AND n >= coalesce((SELECT b.size / 256 FROM unnest($2::text[], $3::bigint[]) AS b (tenant, size) WHERE b.tenant = t.tenant), 0)`
	cutTrees = `DELETE FROM trees WHERE kind = $1`
)

// cut cuts the trees of a kind back to the beginning of its source.
func cut(ctx context.Context, tx pgx.Tx, from Source) error {
	begins, err := from.Kept(ctx, tx)
	if err != nil {
		return err
	}
	tenants := slices.Sorted(maps.Keys(begins.Sizes))
	sizes := make([]int64, len(tenants))
	for n, tenant := range tenants {
		sizes[n] = begins.Sizes[tenant]
	}
	c, err := readRemaining(ctx, tx, from.Kind, tenants, sizes)
	if err != nil {
		return err
	}
	batch := &pgx.Batch{}
	batch.Queue(cutTails, from.Kind)
	batch.Queue(cutTrees, from.Kind)
	batch.Queue(cutTiles, from.Kind, tenants, sizes)
	c.queue(batch, from.Kind, begins.Idx)
	return tx.SendBatch(ctx, batch).Close()
}

func readRemaining(ctx context.Context, tx pgx.Tx, kind proof.Kind, tenants []string, sizes []int64) (*changes, error) {
	c := &changes{}
	rows, _ := tx.Query(ctx, remainingTails, kind, tenants, sizes)
	var tenant string
	var size, first int64
	var tail []byte
	_, err := pgx.ForEachRow(rows, []any{&tenant, &size, &first, &tail}, func() error {
		return c.keep(tenant, size, first, tail)
	})
	return c, err
}

// keep stores a tree's size and its tail.
func (c *changes) keep(tenant string, size, first int64, tail []byte) error {
	whole := size - size%TileWidth
	if int64(len(tail)) != (size-whole)*tlog.HashSize {
		return fmt.Errorf("the tree of %q has lost leaves that cannot be built again: restore it from a backup", tenant)
	}
	c.addSize(tenant, size)
	if len(tail) > 0 {
		c.addTail(tenant, whole, first, tail)
	}
	return nil
}
