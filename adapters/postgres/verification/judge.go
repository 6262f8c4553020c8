package verification

import (
	"fmt"

	"frontdesk/domain/proof"
)

// differ reports the first leaf of a tree that differs in the prover's tables, and
// counts the others.
func (r *reading) differ(l placed) {
	if first, known := r.differs[l.tree]; known {
		first.Count++
		return
	}
	r.differs[l.tree] = r.Add(Finding{Check: Built, Tenant: l.tree.Tenant, Kind: l.tree.Kind.String(), N: &l.n, Idx: l.idx, Count: 1},
		"number %d of %s, idx %d, is not what the prover's tables hold", l.n, named(l.tree), l.idx)
}

// judge compares a tree with a claim about it at its size. idx is that of the claim's
// last leaf; 0 if the tree is smaller.
func (r *reading) judge(t *tree, c claim, idx int64) {
	switch {
	case c.size == t.edge.Size && c.root == t.edge.Root():
		r.hold(t, c)
	case t.lost(c) && c.check == Published:
		r.Ended++
	case t.lost(c):
		left, _ := t.last.Left.Of(c.epoch)
		r.breach(t, c, "of epoch %d, %s has kept the first %d leaves; those behind them, which %s covers up to %d, were lost", c.epoch, named(t.Tree), left.Size, c.name, c.size)
	case c.size > t.edge.Size:
		r.breach(t, c, "%s has %d leaves, fewer than the %d of %s", named(t.Tree), t.edge.Size, c.size, c.name)
	default:
		r.breach(t, c, "%s at size %d is not what %s says: something up to idx %d was changed", named(t.Tree), c.size, c.name, idx)
	}
}

func (r *reading) hold(t *tree, c claim) {
	if c.check == KeptNote {
		r.Kept++
		t.cover(c.at)
		return
	}
	if r.Published++; !c.at.IsZero() { // not the end of an earlier epoch
		t.cover(c.at)
	}
	t.holds = max(t.holds, c.size)
}

func (r *reading) breach(t *tree, c claim, format string, args ...any) {
	r.Add(Finding{Check: c.check, Tenant: t.Tenant, Kind: t.Kind.String(), Count: 1}, format, args...)
}

// lost reports whether a claim covers leaves of an earlier epoch that were lost, by the
// newest checkpoint. Checkpoints of epochs that it no longer names are not judged.
func (t *tree) lost(c claim) bool {
	left, named := t.last.Left.Of(c.epoch)
	return c.epoch < t.last.Origin.Epoch && (!named || c.size > left.Size)
}

// leftOver checks the claims that the trees have not reached, and counts them.
func (r *reading) leftOver() {
	for _, t := range r.trees {
		counts := &r.Events
		if t.Kind == proof.Access {
			counts = &r.Calls
		}
		if t.edge.Size > 0 {
			counts.Trees++
			counts.Uncovered += t.edge.Size - t.holds
		}
		if !r.cut[t.Kind] {
			r.unreached(t)
		}
	}
}

func (r *reading) unreached(t *tree) {
	if t.built != t.known {
		r.Add(Finding{Check: Built, Tenant: t.Tenant, Kind: t.Kind.String(), Count: 1},
			"%s has %d leaves up to idx %d; the prover's tables have %d", named(t.Tree), t.known, r.reached[t.Kind], t.built)
	}
	for _, c := range t.due {
		r.judge(t, c, 0)
	}
}

func named(key proof.Tree) string {
	if key.Tenant == "" {
		return fmt.Sprintf("the tree of no practice (%s)", key.Kind)
	}
	return fmt.Sprintf("the tree of %s (%s)", key.Tenant, key.Kind)
}
