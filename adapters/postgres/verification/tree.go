package verification

import (
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/proof"
)

// leaf is what the log, or the access record, says of one of its events or lines.
type leaf struct {
	tree proof.Tree
	idx  int64
	hash tlog.Hash
}

// node is a hash that the prover's tables must hold: that of a leaf at level 0, and the
// root of a tile of 256 hashes of the level below at the others.
type node struct {
	tree  proof.Tree
	level int
	n     int64 // from 0, in its level
	idx   int64 // of the leaf that completes it
	first int64 // idx of the first leaf of its tile; 0 if it begins none, or at another level
	hash  tlog.Hash
}

const tileSize = 256

// tree is one that is made anew.
type tree struct {
	proof.Tree
	edge  proof.Edge
	tiles []proof.Edge // the unfinished tile of each level
	due   []claim      // by size, the smallest first
	built int64        // its size in the prover's tables, at the beginning
	known int64        // how many leaves the prover had come to by then
	holds int64        // the largest size at which a published checkpoint holds
}

// append appends a leaf, and returns the nodes that it completes. The prover had come to an
// idx.
func (t *tree) append(l leaf, reached int64) []node {
	if l.idx <= reached {
		t.known++
	}
	nodes := []node{{tree: t.Tree, n: t.edge.Size, idx: l.idx, hash: l.hash}}
	if t.edge.Size%tileSize == 0 {
		nodes[0].first = l.idx
	}
	t.edge.Append(l.hash)
	hash := l.hash
	for level := 0; ; level++ {
		if level == len(t.tiles) {
			t.tiles = append(t.tiles, proof.Edge{})
		}
		tile := &t.tiles[level]
		if tile.Append(hash); tile.Size < tileSize {
			return nodes
		}
		hash = tile.Root()
		*tile = proof.Edge{}
		nodes = append(nodes, node{tree: t.Tree, level: level + 1, n: t.edge.Size>>(8*(level+1)) - 1, idx: l.idx, hash: hash})
	}
}

// claim is somebody's word for what a tree was at a size.
type claim struct {
	check Check
	size  int64
	root  tlog.Hash
	of    string // as the result names it
	epoch int    // of a checkpoint
	ends  int64  // the last idx of its epoch, if that has ended; 0 if it goes on
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
