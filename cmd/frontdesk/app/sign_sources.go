package app

import (
	"context"
	"encoding/json"
	"errors"

	"frontdesk/adapters/notary"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/domain/epoch"
	"frontdesk/domain/proof"
)

// whyPaused explains why a log cannot be signed or relayed now, although it has no fault; ""
// if it can.
func whyPaused(state eventstore.LogState) string {
	switch {
	case state.Standby:
		return "this server is a standby: name the one that takes writes, with target_session_attrs=read-write if the URL names several"
	case state.Elsewhere:
		return "the database has come into another history, in which no epoch has begun yet: a running service begins it"
	}
	return ""
}

// eventSource shows the log of events.
type eventSource struct{ log eventstore.Log }

// Look returns the current end of the log.
func (s eventSource) Look(ctx context.Context) (notary.Look, error) {
	state, err := s.log.State(ctx)
	return notary.Look{Head: state.Head, Epoch: state.Epoch, Wait: whyPaused(state)}, err
}

// Leaves returns a page of leaves.
func (s eventSource) Leaves(ctx context.Context, after int64) (page []notary.Leaf, err error) {
	for stored, err := range s.log.EachRow(ctx, after) {
		if isHole(err) {
			return page, nil
		}
		if err != nil {
			return nil, err
		}
		leaf := notary.Leaf{Idx: stored.Idx, Tenant: stored.Stream.Tenant, Hash: proof.LeafOf(stored).Hash()}
		if begun := (epoch.Begun{}); stored.Stream == epoch.StreamOf() && stored.Name == begun.EventName() && json.Unmarshal(stored.Data, &begun) == nil {
			leaf.Begun = &begun // an unreadable leaf begins no epoch: the database has refused it
		}
		page = append(page, leaf)
	}
	return page, nil
}

// Kept reports that events are never removed.
func (s eventSource) Kept(context.Context) (notary.Kept, error) { return notary.Kept{}, nil }

// accessSource shows the access record.
type accessSource struct {
	log    eventstore.Log
	record accesslog.Record
}

// Look returns the current end of the access record.
func (s accessSource) Look(ctx context.Context) (look notary.Look, err error) {
	state, err := s.log.State(ctx)
	look.Epoch, look.Wait = state.Epoch, whyPaused(state)
	if err != nil || look.Wait != "" {
		return look, err
	}
	look.Head, look.Kept, err = s.record.Ends(ctx)
	return look, err
}

// Leaves returns a page of leaves.
func (s accessSource) Leaves(ctx context.Context, after int64) (page []notary.Leaf, err error) {
	rows, err := s.record.Rows(ctx, after)
	if err != nil && !isHole(err) {
		return nil, err
	}
	for _, row := range rows {
		page = append(page, notary.Leaf{Idx: row.Leaf.Idx, Tenant: row.Tree, Hash: row.Hash()})
	}
	return page, nil
}

// Kept returns the first line that is still stored.
func (s accessSource) Kept(ctx context.Context) (notary.Kept, error) {
	kept, err := s.record.Kept(ctx)
	return notary.Kept(kept), err
}

// isHole reports whether a log ends before it should: the signer finds the cause.
func isHole(err error) bool {
	_, hole := errors.AsType[eventstore.Hole](err)
	return hole
}

// checkpointPublisher hands out checkpoints through the database.
type checkpointPublisher struct{ checkpoints accesslog.Checkpoints }

// Published returns the newest checkpoints.
func (d checkpointPublisher) Published(ctx context.Context) (all []notary.Published, err error) {
	found, err := d.checkpoints.Newest(ctx)
	for _, c := range found {
		all = append(all, notary.Published{Tree: c.Tree, Epoch: c.Epoch, Size: c.Size, Note: []byte(c.Note)})
	}
	return all, err
}

// Publish hands out checkpoints.
func (d checkpointPublisher) Publish(ctx context.Context, notes []notary.Published) error {
	var all []accesslog.Checkpoint
	for _, c := range notes {
		all = append(all, accesslog.Checkpoint{Tree: c.Tree, Epoch: c.Epoch, Size: c.Size, Note: string(c.Note)})
	}
	return d.checkpoints.Publish(ctx, all)
}
