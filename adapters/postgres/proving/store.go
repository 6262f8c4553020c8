package proving

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"
)

// changes holds what a batch changes, by column.
type changes struct {
	trees struct {
		tenant []string
		size   []int64
	}
	tiles struct {
		tenant       []string
		n, first     []int64
		root, hashes [][]byte
	}
	tail struct {
		tenant []string
		n, idx []int64
		hash   [][]byte
	}
	emptied struct { // trees whose tail is in a tile now
		tenant []string
		size   []int64 // before
	}
}

// add adds what becomes of a tree.
func (c *changes) add(tenant string, g *growth) {
	c.trees.tenant, c.trees.size = append(c.trees.tenant, tenant), append(c.trees.size, g.size+int64(g.added))
	n, idx, hashes := g.size, g.idx, g.hashes
	if g.fills() {
		n -= g.size % tileWidth
		c.emptied.tenant, c.emptied.size = append(c.emptied.tenant, tenant), append(c.emptied.size, g.size)
	}
	for ; len(hashes) >= tileWidth; n += tileWidth {
		c.addTile(tenant, n/tileWidth, idx[0], hashes[:tileWidth])
		idx, hashes = idx[tileWidth:], hashes[tileWidth:]
	}
	for i, hash := range hashes {
		c.tail.tenant, c.tail.n = append(c.tail.tenant, tenant), append(c.tail.n, n+int64(i))
		c.tail.idx, c.tail.hash = append(c.tail.idx, idx[i]), append(c.tail.hash, hash[:])
	}
}

func (c *changes) addTile(tenant string, n, first int64, hashes []tlog.Hash) {
	root := rootOf(hashes)
	c.tiles.tenant, c.tiles.n = append(c.tiles.tenant, tenant), append(c.tiles.n, n)
	c.tiles.first, c.tiles.root = append(c.tiles.first, first), append(c.tiles.root, root[:])
	c.tiles.hashes = append(c.tiles.hashes, bytesOf(hashes))
}

const (
	emptyTails = `
DELETE FROM tree_tail t USING unnest($2::text[], $3::bigint[]) AS emptied (tenant, size)
WHERE t.kind = $1 AND t.tenant = emptied.tenant AND t.n < emptied.size`
	insertTail = `
INSERT INTO tree_tail (kind, tenant, n, idx, hash)
SELECT $1::smallint, * FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bytea[])`
	insertTiles = `
INSERT INTO tree_tiles (kind, tenant, n, first_idx, root, hashes)
SELECT $1::smallint, * FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bytea[], $6::bytea[])`
	setSizes = `
INSERT INTO trees (kind, tenant, size) SELECT $1::smallint, * FROM unnest($2::text[], $3::bigint[])
ON CONFLICT (tenant, kind) DO UPDATE SET size = excluded.size`
	setReached = `UPDATE prover SET idx = $2 WHERE kind = $1`
)

// store stores a batch that was joined with what the trees have.
func (b *batch) store(ctx context.Context, tx pgx.Tx) error {
	c := &changes{}
	for _, tenant := range slices.Sorted(maps.Keys(b.of)) {
		c.add(tenant, b.of[tenant])
	}
	all := &pgx.Batch{}
	all.Queue(emptyTails, b.kind, c.emptied.tenant, c.emptied.size)
	all.Queue(insertTiles, b.kind, c.tiles.tenant, c.tiles.n, c.tiles.first, c.tiles.root, c.tiles.hashes)
	all.Queue(insertTail, b.kind, c.tail.tenant, c.tail.n, c.tail.idx, c.tail.hash)
	all.Queue(setSizes, b.kind, c.trees.tenant, c.trees.size)
	all.Queue(setReached, b.kind, b.last)
	if err := tx.SendBatch(ctx, all).Close(); err != nil {
		return fmt.Errorf("store leaves up to idx %d: %w", b.last, err)
	}
	return nil
}
