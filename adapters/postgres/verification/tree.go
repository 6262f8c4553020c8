package verification

import (
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/postgres/proving"
	"frontdesk/domain/proof"
)

// leaf is an event of the log, or a line of the access record.
type leaf struct {
	tree proof.Tree
	idx  int64
	hash tlog.Hash
	at   time.Time // of an event
}

// placed is a leaf in its tree.
type placed struct {
	leaf
	n     int64      // its number, from 0
	first int64      // idx of the first leaf of its tile; 0 if that is another one
	root  *tlog.Hash // of the tile that it completes; nil if it completes none
}

// tree is a tree that is built again.
type tree struct {
	proof.Tree
	edge  proof.Edge
	tile  proof.Edge       // the incomplete one
	due   []claim          // by size, the smallest first
	built int64            // its initial size in the prover's tables
	known int64            // number of leaves within the prover's initial position
	holds int64            // the largest size of a valid published checkpoint
	last  proof.Checkpoint // the newest published one, which names the earlier epochs

	newest, covered time.Time // of the events so far, and of those that a checkpoint covers
}

// append appends a leaf. reached is the prover's position.
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

// claim is a claimed root of a tree at a size.
type claim struct {
	check Check
	size  int64
	root  tlog.Hash
	name  string // its name in the result
	epoch int
	at    time.Time // when it was published
}

// take removes and returns the claims for the tree's current size.
func (t *tree) take() (now []claim) {
	n := 0
	for n < len(t.due) && t.due[n].size <= t.edge.Size {
		n++
	}
	now, t.due = t.due[:n], t.due[n:]
	return now
}
