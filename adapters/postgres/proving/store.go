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

// changes holds a batch's changes by column.
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
		tenant   []string
		n, first []int64
		hashes   [][]byte
	}
	filled struct { // trees whose tail is in a tile now
		tenant []string
		size   []int64 // before
	}
}

// add adds the changes of a tree.
func (c *changes) add(tenant string, g *growth) {
	c.addSize(tenant, g.size+int64(len(g.leaves)))
	n, left := g.size, g.leaves
	if g.fills() {
		c.filled.tenant, c.filled.size = append(c.filled.tenant, tenant), append(c.filled.size, g.size)
		n, left = c.addTiles(tenant, g)
	}
	if len(left) > 0 {
		c.addTail(tenant, n, left[0].Idx, bytesOf(hashesIn(left)))
	}
}

func (c *changes) addSize(tenant string, size int64) {
	c.trees.tenant, c.trees.size = append(c.trees.tenant, tenant), append(c.trees.size, size)
}

func (c *changes) addTail(tenant string, n, first int64, hashes []byte) {
	c.tail.tenant, c.tail.n = append(c.tail.tenant, tenant), append(c.tail.n, n)
	c.tail.first, c.tail.hashes = append(c.tail.first, first), append(c.tail.hashes, hashes)
}

// addTiles adds the tiles that become full, and returns the remaining leaves, with the
// number of the first one.
func (c *changes) addTiles(tenant string, g *growth) (n int64, left []Leaf) {
	n, left = g.size-int64(len(g.tail)), g.leaves
	for hashes := g.tail; len(hashes)+len(left) >= TileWidth; n, hashes = n+TileWidth, nil {
		first := left[0].Idx
		if len(hashes) > 0 {
			first = g.first
		}
		more := TileWidth - len(hashes)
		c.addTile(tenant, n/TileWidth, first, append(hashes, hashesIn(left[:more])...))
		left = left[more:]
	}
	return n, left
}

func (c *changes) addTile(tenant string, n, first int64, hashes []tlog.Hash) {
	root := rootOf(hashes)
	c.tiles.tenant, c.tiles.n = append(c.tiles.tenant, tenant), append(c.tiles.n, n)
	c.tiles.first, c.tiles.root = append(c.tiles.first, first), append(c.tiles.root, root[:])
	c.tiles.hashes = append(c.tiles.hashes, bytesOf(hashes))
}

func hashesIn(leaves []Leaf) []tlog.Hash {
	hashes := make([]tlog.Hash, len(leaves))
	for n, leaf := range leaves {
		hashes[n] = leaf.Hash
	}
	return hashes
}

const (
	emptyTails = `
DELETE FROM tree_tail t USING unnest($2::text[], $3::bigint[]) AS filled (tenant, size)
WHERE t.kind = $1 AND t.tenant = filled.tenant AND t.n < filled.size`
	insertTail = `
INSERT INTO tree_tail (kind, tenant, n, first_idx, hashes)
SELECT $1::smallint, * FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bytea[])`
	insertTiles = `
INSERT INTO tree_tiles (kind, tenant, n, first_idx, root, hashes)
SELECT $1::smallint, * FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bytea[], $6::bytea[])`
	setSizes = `
INSERT INTO trees (kind, tenant, size) SELECT $1::smallint, * FROM unnest($2::text[], $3::bigint[])
ON CONFLICT (tenant, kind) DO UPDATE SET size = excluded.size`
	setReached = `UPDATE prover SET idx = $2 WHERE kind = $1`
)

// store stores a joined batch.
func (b *batch) store(ctx context.Context, tx pgx.Tx) error {
	c := &changes{}
	for _, tenant := range slices.Sorted(maps.Keys(b.trees)) {
		c.add(tenant, b.trees[tenant])
	}
	all := &pgx.Batch{}
	c.queue(all, b.kind, b.last)
	if err := tx.SendBatch(ctx, all).Close(); err != nil {
		return fmt.Errorf("store leaves up to idx %d: %w", b.last, err)
	}
	return nil
}

// queue queues the changes, and the new position of a kind.
func (c *changes) queue(on *pgx.Batch, kind proof.Kind, last int64) {
	on.Queue(emptyTails, kind, c.filled.tenant, c.filled.size)
	on.Queue(insertTiles, kind, c.tiles.tenant, c.tiles.n, c.tiles.first, c.tiles.root, c.tiles.hashes)
	on.Queue(insertTail, kind, c.tail.tenant, c.tail.n, c.tail.first, c.tail.hashes)
	on.Queue(setSizes, kind, c.trees.tenant, c.trees.size)
	on.Queue(setReached, kind, last)
}
