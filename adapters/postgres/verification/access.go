package verification

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/postgres/proving"
	"frontdesk/domain/proof"
)

// archived starts the trees of the access record at the end of the archives. The tables
// with that state are trusted no more than others: a checkpoint of a later size holds
// only if they are right.
func (r *reading) archived(ctx context.Context) error {
	kept, err := accesslog.Record{DB: r.DB}.Kept(ctx)
	if err != nil {
		return err
	}
	for tenant, edge := range kept.Trees {
		r.beginAt(r.tree(proof.Tree{Tenant: tenant, Kind: proof.Access}), edge)
	}
	if r.Calls.UpTo = kept.Idx; kept.Idx > 0 {
		r.Uncheck("calls up to number %d: they are in archives", kept.Idx)
	}
	if err := r.DB.QueryRow(ctx, `SELECT idx FROM access_head`).Scan(&r.lastCall); err != nil {
		return fmt.Errorf("read where the access record ends: %w", err)
	}
	r.reportLag(proof.Access, r.lastCall)
	if err := r.vanished(ctx); err != nil {
		return err
	}
	return r.unnumbered(ctx)
}

// vanished finds lines that the tables declare archived, but that are in no archive of
// the log.
func (r *reading) vanished(ctx context.Context) error {
	lines, err := accesslog.Record{DB: r.DB}.Vanished(ctx)
	if err != nil {
		return err
	}
	if lines > 0 {
		r.Add(Finding{Check: Gap, Kind: proof.Access.String(), Count: lines}, "%d lines of the access record are gone, and audit.archived in the log names no archive that has them", lines)
	}
	return nil
}

// beginAt starts a tree with a number of leaves that are not read.
func (r *reading) beginAt(t *tree, edge proof.Edge) {
	tile := edge.Size % proving.TileWidth
	t.edge, t.known = edge, edge.Size
	t.tile = proof.Edge{Size: tile}
	for bit := tile; bit > 0; bit &= bit - 1 {
		t.tile.Roots = append(t.tile.Roots, tlog.Hash{})
	}
	copy(t.tile.Roots, edge.Roots[len(edge.Roots)-len(t.tile.Roots):])
	passed := 0
	for _, c := range t.take() {
		if c.size == edge.Size {
			r.judge(t, c, 0)
			continue
		}
		passed++
	}
	if passed > 0 {
		r.Uncheck("%d checkpoints of %s: the leaves of that time are in archives", passed, named(t.Tree))
	}
}

// unnumbered finds lines without a number that are not waiting for one. The program's
// own writes leave none.
func (r *reading) unnumbered(ctx context.Context) error {
	var lines int64
	err := r.DB.QueryRow(ctx, `SELECT count(*) FROM access_record r
		WHERE NOT EXISTS (SELECT FROM access_log WHERE request_id = r.request_id) AND NOT EXISTS (SELECT FROM access_waiting WHERE request_id = r.request_id)`).Scan(&lines)
	if err != nil {
		return fmt.Errorf("look for calls without a number: %w", err)
	}
	if lines > 0 {
		r.Add(Finding{Check: Gap, Kind: proof.Access.String(), Count: lines}, "%d lines of the access record have no number: somebody has written them past the program", lines)
	}
	return nil
}

// calls reads the access record.
func (r *reading) calls(ctx context.Context) error {
	record := accesslog.Record{DB: r.DB}
	for r.Calls.UpTo < r.lastCall {
		page, err := record.Rows(ctx, r.Calls.UpTo)
		hole, lost := errors.AsType[eventstore.Hole](err)
		if err != nil && !lost {
			return err
		}
		if len(page) == 0 && !lost {
			hole, lost = "the access record ends before its head", true
		}
		if err := r.callPage(ctx, page); err != nil {
			return err
		}
		if lost {
			r.tear(proof.Access, r.Calls.UpTo, hole)
			return nil
		}
	}
	return nil
}

func (r *reading) callPage(ctx context.Context, page []accesslog.Row) error {
	var leaves []leaf
	var boxes []keyring.Sealed
	for _, row := range page {
		if row.Leaf.Idx > r.lastCall {
			break
		}
		leaves = append(leaves, leaf{proof.Tree{Tenant: row.Tree, Kind: proof.Access}, row.Leaf.Idx, row.Hash(), row.Leaf.At})
		boxes = append(boxes, accesslog.SealedIn(row))
	}
	if len(leaves) == 0 {
		return nil
	}
	r.Calls.Count += int64(len(leaves))
	r.Calls.UpTo = leaves[len(leaves)-1].idx
	if err := r.grow(ctx, proof.Access, leaves); err != nil {
		return err
	}
	return r.open(ctx, proof.Access, boxes)
}
