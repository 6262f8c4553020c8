package proving

import (
	"context"
	"iter"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/domain/proof"
	"frontdesk/projections"
)

// Leaf is a leaf on its way into a tree.
type Leaf struct {
	Idx    int64
	Tenant string // of the tree
	Hash   tlog.Hash
}

// Source is the source of one kind of leaves.
type Source struct {
	Kind proof.Kind
	Head string // SQL for the newest idx
	At   string // SQL for the time of idx $1; without a row if it is unknown
	// Leaves yields up to most leaves after an idx, in order. It ends with an error at
	// a missing one.
	Leaves func(ctx context.Context, db projections.Querier, after int64, most int) iter.Seq2[Leaf, error]
	// Number assigns an idx to lines without one, in a transaction of its own.
	Number func(ctx context.Context, db projections.Querier, most int) error
	// Kept returns the beginning of the readable leaves.
	Kept func(ctx context.Context, db projections.Querier) (Beginning, error)
}

// Beginning is an idx with the sizes of the trees there, by practice.
type Beginning struct {
	Idx   int64
	Sizes map[string]int64
}

// Sources returns all of them.
func Sources() []Source { return []Source{events, calls} }

// events are the leaves of the log.
var events = Source{
	Kind: proof.Events, Leaves: leavesOfEvents,
	Head:   `SELECT head FROM sequencer`,
	At:     `SELECT recorded_at FROM log JOIN events USING (position) WHERE idx = $1`,
	Number: func(context.Context, projections.Querier, int) error { return nil }, // the sequencer does that
	Kept:   func(context.Context, projections.Querier) (Beginning, error) { return Beginning{}, nil },
}

func leavesOfEvents(ctx context.Context, db projections.Querier, after int64, most int) iter.Seq2[Leaf, error] {
	return func(yield func(Leaf, error) bool) {
		for stored, err := range (eventstore.Log{DB: db, Page: most}).EachRow(ctx, after) {
			leaf := Leaf{Idx: stored.Idx, Tenant: stored.Stream.Tenant}
			if err == nil {
				leaf.Hash = proof.LeafOf(stored).Hash()
			}
			if !yield(leaf, err) {
				return
			}
		}
	}
}

// calls are the leaves of the access record (D80).
var calls = Source{
	Kind: proof.Access, Leaves: leavesOfCalls,
	Head: `SELECT idx FROM access_head`,
	At:   `SELECT at FROM access_log JOIN access_record USING (request_id) WHERE idx = $1`,
	Number: func(ctx context.Context, db projections.Querier, most int) error {
		_, err := accesslog.Record{DB: db}.Number(ctx, most)
		return err
	},
	Kept: func(ctx context.Context, db projections.Querier) (Beginning, error) {
		kept, err := accesslog.Record{DB: db}.Kept(ctx)
		begins := Beginning{kept.Idx, map[string]int64{}}
		for tenant, edge := range kept.Trees {
			begins.Sizes[tenant] = edge.Size
		}
		return begins, err
	},
}

func leavesOfCalls(ctx context.Context, db projections.Querier, after int64, most int) iter.Seq2[Leaf, error] {
	return func(yield func(Leaf, error) bool) {
		page, err := accesslog.Record{DB: db, Page: most}.Rows(ctx, after)
		for _, row := range page {
			if !yield(Leaf{row.Leaf.Idx, row.Tree, row.Hash()}, nil) {
				return
			}
		}
		if err != nil {
			yield(Leaf{}, err)
		}
	}
}
