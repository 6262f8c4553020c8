package proof

import (
	"crypto/sha256"
	"errors"
	"math/bits"

	"golang.org/x/mod/sumdb/tlog"
)

// Edge is the values that are needed to extend a tree: its size, and the root of each
// complete subtree on its right edge, the largest first. The zero value is the empty
// tree.
type Edge struct { //nolint:recvcheck // it is a value, which only Append changes
	Size  int64
	Roots []tlog.Hash // one for each bit of Size
}

// Append appends a leaf. It changes only this edge, and no copy of it.
func (e *Edge) Append(leaf tlog.Hash) {
	whole := bits.TrailingZeros64(^uint64(e.Size)) // this number of subtrees is merged with the leaf
	left := len(e.Roots) - whole
	for n := len(e.Roots) - 1; n >= left; n-- {
		leaf = tlog.NodeHash(e.Roots[n], leaf)
	}
	e.Roots = append(e.Roots[:left:left], leaf)
	e.Size++
}

// Root returns the root of the tree. That of the empty tree is the hash of nothing.
func (e Edge) Root() tlog.Hash {
	if len(e.Roots) == 0 {
		return tlog.Hash(sha256.Sum256(nil))
	}
	root := e.Roots[len(e.Roots)-1]
	for n := len(e.Roots) - 2; n >= 0; n-- {
		root = tlog.NodeHash(e.Roots[n], root)
	}
	return root
}

// Bytes returns the roots one after another, as they are stored with the size.
func (e Edge) Bytes() []byte {
	b := make([]byte, 0, len(e.Roots)*tlog.HashSize)
	for _, root := range e.Roots {
		b = append(b, root[:]...)
	}
	return b
}

var errEdge = errors.New("these are not the roots of a tree of this size")

// ParseEdge returns the edge of a size from its [Edge.Bytes].
func ParseEdge(size int64, b []byte) (Edge, error) {
	if size < 0 || len(b) != bits.OnesCount64(uint64(size))*tlog.HashSize {
		return Edge{}, errEdge
	}
	e := Edge{Size: size}
	for ; len(b) > 0; b = b[tlog.HashSize:] {
		e.Roots = append(e.Roots, tlog.Hash(b[:tlog.HashSize]))
	}
	return e, nil
}
