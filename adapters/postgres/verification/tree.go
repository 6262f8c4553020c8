package verification

import (
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/postgres/proving"
	"frontdesk/domain/proof"
)

// leaf is what the log, or the access record, says of one of its events or lines.
type leaf struct {
	tree proof.Tree
	idx  int64
	hash tlog.Hash
}

// placed is a leaf in its tree.
type placed struct {
	leaf
	n     int64      // its number, from 0
	first int64      // idx of the first leaf of its tile; 0 if that is another one
	root  *tlog.Hash // of the tile that it completes; nil if it completes none
}

// tree is one that is made anew.
type tree struct {
	proof.Tree
	edge  proof.Edge
	tile  proof.Edge // the unfinished one
	due   []claim    // by size, the smallest first
	built int64      // its size in the prover's tables, at the beginning
	known int64      // how many leaves the prover had come to by then
	holds int64      // the largest size at which a published checkpoint holds
}

// append appends a leaf. The prover had come to an idx.
func (t *tree) append(l leaf, reached int64) placed {
	p := placed{leaf: l, n: t.edge.Size}
	if l.idx <= reached {
		t.known++
	}
	if t.tile.Size == 0 {
		p.first = l.idx
	}
	t.edge.Append(l.hash)
	t.tile.Append(l.hash)
	if t.tile.Size == proving.TileWidth {
		p.root = new(t.tile.Root())
		t.tile = proof.Edge{}
	}
	return p
}

// claim is somebody's word for what a tree was at a size.
type claim struct {
	check Check
	size  int64
	root  tlog.Hash
	of    string // as the result names it
	epoch int
	ends  int64 // the last idx of the epoch, if that has ended; 0 if it goes on
}

// take removes and returns the claims for the size that the tree has.
func (t *tree) take() (now []claim) {
	n := 0
	for n < len(t.due) && t.due[n].size <= t.edge.Size {
		n++
	}
	now, t.due = t.due[:n], t.due[n:]
	return now
}
