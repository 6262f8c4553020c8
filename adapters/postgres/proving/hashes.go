package proving

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/proof"
)

// Hashes returns the reader of a tree for package tlog: it reads at most a hash for
// each tile of the tree, in one query.
func (t Trees) Hashes(ctx context.Context, tree proof.Tree) tlog.HashReader {
	return tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		spans := make([]span, len(indexes))
		for n, index := range indexes {
			spans[n] = spanOf(tlog.SplitStoredHashIndex(index))
		}
		below, err := t.read(ctx, tree, spans)
		if err != nil {
			return nil, err
		}
		found := make([]tlog.Hash, len(indexes))
		for n := range below {
			found[n] = rootOf(below[n])
		}
		return found, nil
	})
}

// span is the source of a hash: a number of leaves in one tile, or of roots of tiles.
type span struct {
	first, count int64
	tiles        bool
}

// spanOf returns the leaves, or the tiles, below a hash of the tree.
func spanOf(level int, n int64) span {
	if level < tileHeight {
		return span{n << level, 1 << level, false}
	}
	level -= tileHeight
	return span{n << level, 1 << level, true}
}

const readSpans = `
SELECT CASE WHEN of_tiles
	THEN (SELECT string_agg(root, '' ORDER BY n) FROM tree_tiles WHERE tenant = $1 AND kind = $2 AND n BETWEEN first AND first + count - 1)
	ELSE coalesce(
		(SELECT substr(hashes, (first % 256 * 32)::int + 1, count::int * 32) FROM tree_tiles WHERE tenant = $1 AND kind = $2 AND n = first / 256),
		(SELECT substr(string_agg(hashes, '' ORDER BY n), (first % 256 * 32)::int + 1, count::int * 32) FROM tree_tail WHERE tenant = $1 AND kind = $2))
	END
FROM unnest($3::bigint[], $4::bigint[], $5::bool[]) WITH ORDINALITY AS wanted (first, count, of_tiles, at)
ORDER BY at`

// read returns the hashes of spans.
func (t Trees) read(ctx context.Context, tree proof.Tree, spans []span) ([][]tlog.Hash, error) {
	firsts, counts, tiles := make([]int64, len(spans)), make([]int64, len(spans)), make([]bool, len(spans))
	for n, s := range spans {
		firsts[n], counts[n], tiles[n] = s.first, s.count, s.tiles
	}
	rows, _ := t.DB.Query(ctx, readSpans, tree.Tenant, tree.Kind, firsts, counts, tiles)
	texts, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
	if err != nil {
		return nil, fmt.Errorf("read a tree: %w", err)
	}
	found := make([][]tlog.Hash, len(spans))
	for n, text := range texts {
		if int64(len(text)) != counts[n]*tlog.HashSize {
			return nil, fmt.Errorf("read a tree: it has no %d hashes from %d on", counts[n], firsts[n])
		}
		found[n] = hashesOf(text)
	}
	return found, nil
}

func hashesOf(b []byte) []tlog.Hash {
	hashes := make([]tlog.Hash, len(b)/tlog.HashSize)
	for n := range hashes {
		hashes[n] = tlog.Hash(b[n*tlog.HashSize : (n+1)*tlog.HashSize])
	}
	return hashes
}

func bytesOf(hashes []tlog.Hash) []byte {
	b := make([]byte, 0, len(hashes)*tlog.HashSize)
	for _, hash := range hashes {
		b = append(b, hash[:]...)
	}
	return b
}

// rootOf returns the root of a complete tree, whose size is a power of two.
func rootOf(hashes []tlog.Hash) tlog.Hash {
	var edge proof.Edge
	for _, hash := range hashes {
		edge.Append(hash)
	}
	return edge.Root()
}
