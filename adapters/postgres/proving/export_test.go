package proving

import (
	"context"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/proof"
)

// Leaves returns the hashes of up to 256 leaves from a number on: those in the same
// tile. There are none at the end of the tree.
func (t Trees) Leaves(ctx context.Context, tree proof.Tree, from int64) ([]tlog.Hash, error) {
	size, err := t.Size(ctx, tree)
	if err != nil || from >= size {
		return nil, err
	}
	end := min(size, (from/TileWidth+1)*TileWidth)
	found, err := t.read(ctx, tree, []span{{from, end - from, false}})
	if err != nil {
		return nil, err
	}
	return found[0], nil
}
