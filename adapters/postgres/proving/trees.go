package proving

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/fault"
	"frontdesk/domain/proof"
	"frontdesk/projections"
)

const tileHeight = 8

// TileWidth is the number of leaves in a full tile. Statements contain it as 256.
const TileWidth = 1 << tileHeight

// Trees reads the trees. It is as trustworthy as the database: check its results
// against a signed root.
type Trees struct{ DB projections.Querier }

// Size returns the number of leaves of a tree, 0 if absent.
func (t Trees) Size(ctx context.Context, tree proof.Tree) (size int64, err error) {
	err = t.DB.QueryRow(ctx, `SELECT size FROM trees WHERE tenant = $1 AND kind = $2`, tree.Tenant, tree.Kind).Scan(&size)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return 0, fmt.Errorf("read the size of a tree: %w", err)
	}
	return size, nil
}

// Sizes returns the number of leaves of each tree.
func (t Trees) Sizes(ctx context.Context) (map[proof.Tree]int64, error) {
	rows, _ := t.DB.Query(ctx, `SELECT tenant, kind, size FROM trees`)
	sizes := map[proof.Tree]int64{}
	var tree proof.Tree
	var size int64
	_, err := pgx.ForEachRow(rows, []any{&tree.Tenant, &tree.Kind, &size}, func() error { sizes[tree] = size; return nil })
	if err != nil {
		return nil, fmt.Errorf("read the sizes of the trees: %w", err)
	}
	return sizes, nil
}

// Root returns the root of a tree at a size that it has reached.
func (t Trees) Root(ctx context.Context, tree proof.Tree, size int64) (tlog.Hash, error) {
	return tlog.TreeHash(size, t.Hashes(ctx, tree))
}

// ErrNoLeaf means that a tree has no such leaf.
var ErrNoLeaf = fault.New(fault.Missing, "not-in-tree",
	"The tree has no such leaf. Wait a second if it is new; otherwise it belongs to another tree, or was changed after it was proved.")

// candidates are the tile that may contain an idx, and the tail.
const candidates = `
(SELECT n * 256, hashes FROM tree_tiles WHERE tenant = $1 AND kind = $2 AND first_idx <= $3 ORDER BY first_idx DESC LIMIT 1)
UNION ALL (SELECT n, hashes FROM tree_tail WHERE tenant = $1 AND kind = $2)`

// Number returns the number of an idx's leaf in a tree, from 0. The hash must be the
// tree's; otherwise the error is [ErrNoLeaf].
func (t Trees) Number(ctx context.Context, tree proof.Tree, idx int64, hash tlog.Hash) (number int64, err error) {
	rows, _ := t.DB.Query(ctx, candidates, tree.Tenant, tree.Kind, idx)
	number = -1
	var first int64
	var hashes []byte
	_, err = pgx.ForEachRow(rows, []any{&first, &hashes}, func() error {
		for at := 0; at+tlog.HashSize <= len(hashes); at += tlog.HashSize {
			if bytes.Equal(hashes[at:at+tlog.HashSize], hash[:]) {
				number = first + int64(at/tlog.HashSize)
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("look for idx %d in a tree: %w", idx, err)
	}
	if number < 0 {
		return 0, ErrNoLeaf
	}
	return number, nil
}
