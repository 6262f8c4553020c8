package verification

import (
	"context"
	"errors"

	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/domain/event"
	"frontdesk/domain/proof"
)

// events reads the log, up to its initial head.
func (r *reading) events(ctx context.Context) error {
	for r.Events.UpTo < r.head {
		page, err := r.Log.Rows(ctx, r.Events.UpTo)
		hole, lost := errors.AsType[eventstore.Hole](err)
		if err != nil && !lost {
			return err
		}
		if page = upTo(page, r.head); len(page) == 0 && !lost {
			hole, lost = "the log ends before its head", true
		}
		if err := r.page(ctx, page); err != nil {
			return err
		}
		if lost {
			r.tear(proof.Events, r.Events.UpTo, hole)
			return nil
		}
	}
	return nil
}

// looks ends the further checks.
func (r *reading) looks(ctx context.Context) error {
	for _, look := range r.Looks {
		if err := look.End(ctx, &r.Result); err != nil {
			return err
		}
	}
	return nil
}

// tear records that a kind is not checked after an idx.
func (r *reading) tear(kind proof.Kind, after int64, hole eventstore.Hole) {
	r.cut[kind] = true
	r.Add(Finding{Check: Gap, Kind: kind.String(), Idx: after + 1, Count: 1}, "%s", hole)
	r.Uncheck("%s behind idx %d, because of what is missing there", kind, after)
}

func upTo(page []event.Stored, head int64) []event.Stored {
	for len(page) > 0 && page[len(page)-1].Idx > head {
		page = page[:len(page)-1]
	}
	return page
}

// page runs all checks on some events.
func (r *reading) page(ctx context.Context, page []event.Stored) error {
	if len(page) == 0 {
		return nil
	}
	leaves := make([]leaf, len(page))
	for n, s := range page {
		leaves[n] = leaf{proof.Tree{Tenant: s.Stream.Tenant, Kind: proof.Events}, s.Idx, proof.LeafOf(s).Hash(), s.At}
	}
	if err := r.grow(ctx, proof.Events, leaves); err != nil {
		return err
	}
	for _, look := range []func(context.Context, []event.Stored) error{r.boxes, r.passwords, r.erased} {
		if err := look(ctx, page); err != nil {
			return err
		}
	}
	for _, look := range r.Looks {
		if err := look.Page(ctx, page, &r.Result); err != nil {
			return err
		}
	}
	r.Events.Count += int64(len(page))
	r.Events.UpTo = page[len(page)-1].Idx
	if r.Progress != nil {
		r.Progress(r.Events.UpTo, r.head)
	}
	return nil
}

// grow adds leaves to the trees of a kind, and compares them with the claims.
func (r *reading) grow(ctx context.Context, kind proof.Kind, leaves []leaf) error {
	all := make([]placed, len(leaves))
	for n, l := range leaves {
		t := r.tree(l.tree)
		r.date(t, l)
		all[n] = t.append(l, r.reached[kind])
		for _, c := range t.take() {
			r.judge(t, c, l.idx)
		}
	}
	strange, err := r.strange(ctx, kind, all)
	for _, l := range strange {
		r.differ(l)
	}
	return err
}

// tree returns a tree by name, which may still be empty.
func (r *reading) tree(key proof.Tree) *tree {
	t := r.trees[key]
	if t == nil {
		t = &tree{Tree: key}
		r.trees[key] = t
	}
	return t
}
