package notary

import (
	"maps"
	"slices"

	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/proof"
)

// progress is the position in one log, with its trees there.
type progress struct {
	Epoch   int              `json:"epoch"`
	Idx     int64            `json:"idx"`
	Last    tlog.Hash        `json:"last"`    // the leaf at Idx, as the database has it
	Whole   proof.Edge       `json:"whole"`   // of all leaves in the order of idx, if none was archived at its start
	Anchors []anchor         `json:"anchors"` // roots of Whole at earlier positions
	Trees   map[string]*tree `json:"trees"`   // by practice; "" for none
	Suspect bool             `json:"suspect"` // all leaves must be read again before anything is signed
}

// tree is one tree of a log. It grows even while it is refused: if the leaf that
// differs is restored, it fits again.
type tree struct {
	Log     uuid.UUID  `json:"log"`
	Edge    proof.Edge `json:"edge"`
	Refused bool       `json:"refused,omitempty"` // a leaf of it has changed
}

// newProgress is a log read up to its first leaf that is not archived.
func newProgress(kept Kept, log func(tenant string) uuid.UUID) *progress {
	p := &progress{Epoch: 1, Idx: kept.Idx, Trees: map[string]*tree{}}
	for tenant, edge := range kept.Trees {
		if edge.Size > 0 {
			p.Trees[tenant] = &tree{Log: log(tenant), Edge: edge}
		}
	}
	return p
}

// add adds a leaf to its tree. log names the tree of a new practice.
func (p *progress) add(leaf Leaf, log func(tenant string) uuid.UUID) {
	of := p.Trees[leaf.Tenant]
	if of == nil {
		of = &tree{Log: log(leaf.Tenant)}
		p.Trees[leaf.Tenant] = of
	}
	of.Edge.Append(leaf.Hash)
	p.Whole.Append(leaf.Hash)
	p.Idx, p.Last = leaf.Idx, leaf.Hash
	if leaf.Begun != nil {
		p.Epoch = max(p.Epoch, leaf.Begun.Epoch)
	}
}

// clone returns a deep copy.
func (p *progress) clone() *progress {
	c := *p
	c.Trees = maps.Clone(p.Trees)
	for tenant, t := range c.Trees {
		c.Trees[tenant] = new(*t)
	}
	c.Anchors = slices.Clone(p.Anchors)
	return &c
}

// differing returns the practices whose trees differ between two readings of one log.
func (p *progress) differing(now *progress) map[string]bool {
	differ := map[string]bool{}
	for tenant, t := range p.Trees {
		again := now.Trees[tenant]
		if again == nil || again.Edge.Size != t.Edge.Size || again.Edge.Root() != t.Edge.Root() {
			differ[tenant] = true
		}
	}
	for tenant := range now.Trees {
		if p.Trees[tenant] == nil {
			differ[tenant] = true
		}
	}
	return differ
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
