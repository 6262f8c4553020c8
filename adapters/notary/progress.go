package notary

import (
	"maps"
	"slices"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/proof"
)

// progress is the position in one log, with its trees there.
type progress struct {
	Epoch   int              `json:"epoch"`
	Prior   int              `json:"prior,omitempty"` // the epoch before
	Idx     int64            `json:"idx"`
	Last    tlog.Hash        `json:"last"`    // the leaf at Idx, as the database has it
	Whole   proof.Edge       `json:"whole"`   // of all leaves in the order of idx, if none was archived at its start
	Before  proof.Edge       `json:"before"`  // Whole without Tail
	Tail    []tailLeaf       `json:"tail"`    // the newest leaves up to Idx, at most tailLeaves
	Anchors []anchor         `json:"anchors"` // roots of Whole at earlier positions
	Trees   map[string]*tree `json:"trees"`   // by practice; "" for none
	Suspect bool             `json:"suspect"` // all leaves must be read again before anything is signed
}

// tailLeaves is how many leaves the signer keeps. If the end of a log is lost with an epoch,
// they show which leaves were lost, and prove it to witnesses.
const tailLeaves = 1000

// tailLeaf is one of the newest leaves.
type tailLeaf struct {
	Tenant string    `json:"t"`
	Hash   tlog.Hash `json:"h"`
	Read   int64     `json:"r"` // when the signer first read it, in seconds since 1970
}

// tree is one tree of a log. It grows even while it is refused: if the leaf that
// differs is restored, it fits again.
type tree struct {
	Edge    proof.Edge `json:"edge"`
	Left    []left     `json:"left,omitempty"`    // the earlier epochs, the last one at the end
	Refused bool       `json:"refused,omitempty"` // a leaf of it has changed
}

// left is an earlier epoch of a tree.
type left struct {
	Epoch int         `json:"epoch"`
	Size  int64       `json:"size"` // of the part that the tree has kept
	Root  tlog.Hash   `json:"root"`
	Lost  []tlog.Hash `json:"lost,omitempty"` // the leaves of that epoch behind it, as far as they are known
}

// leave ends an epoch of which the tree keeps the first leaves. The next leaves of that
// epoch are lost, and with them those of earlier epochs.
func (t *tree) leave(epoch int, kept proof.Edge, lost []tlog.Hash) {
	left := left{epoch, kept.Size, kept.Root(), lost}
	for n := range t.Left {
		l := &t.Left[n]
		common := l.Size - kept.Size // leaves of both epochs that are lost now
		switch {
		case common <= 0:
			continue
		case int64(len(lost)) < common:
			l.Lost = nil
		default:
			l.Lost = slices.Concat(lost[:common], l.Lost)
		}
		l.Size, l.Root = left.Size, left.Root
	}
	t.Left = append(t.Left, left)
	t.Left = t.Left[max(0, len(t.Left)-proof.MostEpochs):]
}

// epochs returns the lines of the tree's checkpoints.
func (t *tree) epochs() proof.Epochs {
	var all []proof.Left
	for _, l := range t.Left {
		all = append(all, proof.Left{Epoch: l.Epoch, Size: l.Size, Root: l.Root})
	}
	return proof.EpochsOf(all)
}

// newProgress is a log read up to its first leaf that is not archived.
func newProgress(kept Kept) *progress {
	p := &progress{Epoch: 1, Idx: kept.Idx, Trees: map[string]*tree{}}
	for tenant, edge := range kept.Trees {
		if edge.Size > 0 {
			p.Trees[tenant] = &tree{Edge: edge}
		}
	}
	return p
}

// add adds a leaf to its tree. now is when the signer reads it.
func (p *progress) add(leaf Leaf, now time.Time) {
	if leaf.Begun != nil && leaf.Begun.Epoch > p.Epoch {
		p.enter(leaf.Begun.Epoch)
	}
	of := p.Trees[leaf.Tenant]
	if of == nil {
		of = &tree{}
		if p.Prior > 0 {
			of.leave(p.Prior, proof.Edge{}, nil)
		}
		p.Trees[leaf.Tenant] = of
	}
	of.Edge.Append(leaf.Hash)
	p.Whole.Append(leaf.Hash)
	if p.Tail = append(p.Tail, tailLeaf{leaf.Tenant, leaf.Hash, now.Unix()}); len(p.Tail) > tailLeaves {
		p.Before.Append(p.Tail[0].Hash)
		p.Tail = p.Tail[1:]
	}
	p.Idx, p.Last = leaf.Idx, leaf.Hash
}

// enter enters an epoch that keeps all leaves.
func (p *progress) enter(epoch int) {
	for _, t := range p.Trees {
		t.leave(p.Epoch, t.Edge, nil)
	}
	p.Prior, p.Epoch = p.Epoch, epoch
}

// tailBegins returns the idx before the tail.
func (p *progress) tailBegins() int64 { return p.Idx - int64(len(p.Tail)) }

// clone returns a deep copy.
func (p *progress) clone() *progress {
	c := *p
	c.Trees = maps.Clone(p.Trees)
	for tenant, t := range c.Trees {
		c.Trees[tenant] = new(*t)
		c.Trees[tenant].Left = slices.Clone(t.Left)
	}
	c.Anchors, c.Tail = slices.Clone(p.Anchors), slices.Clone(p.Tail)
	return &c
}

// differing returns the practices whose trees differ between two readings of one log.
func (p *progress) differing(now *progress) map[string]bool {
	differ := map[string]bool{}
	for _, trees := range []map[string]*tree{p.Trees, now.Trees} {
		for tenant := range trees {
			was, is := p.edge(tenant), now.edge(tenant)
			if was.Size != is.Size || was.Root() != is.Root() {
				differ[tenant] = true
			}
		}
	}
	return differ
}

// edge returns the edge of a practice's tree.
func (p *progress) edge(tenant string) proof.Edge {
	if t := p.Trees[tenant]; t != nil {
		return t.Edge
	}
	return proof.Edge{}
}

// succeed has a reading in a later epoch follow the earlier one. kept is the leaves that
// both have. A tree that has lost all of its leaves stays, empty, with its epochs.
func (p *progress) succeed(was, kept *progress) {
	begins := was.tailBegins()
	for n := range p.Tail {
		idx := p.tailBegins() + int64(n) + 1
		if at := idx - begins - 1; at >= 0 && idx <= kept.Idx {
			p.Tail[n].Read = was.Tail[at].Read
		}
	}
	lost := map[string][]tlog.Hash{}
	if kept.Idx >= begins {
		for _, leaf := range was.Tail[kept.Idx-begins:] {
			lost[leaf.Tenant] = append(lost[leaf.Tenant], leaf.Hash)
		}
	}
	for tenant := range was.Trees {
		if p.Trees[tenant] == nil {
			p.Trees[tenant] = &tree{}
		}
	}
	for tenant, t := range p.Trees {
		t.Left = nil
		if before := was.Trees[tenant]; before != nil {
			t.Left = slices.Clone(before.Left)
		}
		t.leave(was.Epoch, kept.edge(tenant), lost[tenant])
	}
	p.Prior = was.Epoch
}

// refused returns the practices whose trees are no longer signed.
func (p *progress) refused() map[string]bool {
	refused := map[string]bool{}
	for tenant, t := range p.Trees {
		if t.Refused {
			refused[tenant] = true
		}
	}
	return refused
}

// anchor is the root of all leaves up to an idx. After a new epoch, it shows how much
// of the past is unchanged.
type anchor struct {
	Idx  int64     `json:"idx"`
	Root tlog.Hash `json:"root"`
}

// drop adds an anchor at the current position. The older anchors are, the fewer are
// kept: each is at most about a quarter further away than the next one.
func (p *progress) drop() {
	if n := len(p.Anchors); p.Idx == 0 || p.Whole.Size != p.Idx || n > 0 && p.Anchors[n-1].Idx == p.Idx {
		return
	}
	p.Anchors = append(p.Anchors, anchor{p.Idx, p.Whole.Root()})
	for n := 1; n < len(p.Anchors)-1; {
		if p.Anchors[n+1].Idx-p.Anchors[n-1].Idx <= (p.Idx-p.Anchors[n+1].Idx)/4 {
			p.Anchors = slices.Delete(p.Anchors, n, n+1)
			continue
		}
		n++
	}
}
