package proving

import (
	"context"
	"iter"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/postgres"
	"frontdesk/domain/proof"
	"frontdesk/projections"
)

// Leaf is a leaf on its way into a tree.
type Leaf struct {
	Idx    int64
	Tenant string // of the tree
	Hash   tlog.Hash
}

// Source is where the leaves of one kind come from.
type Source struct {
	Kind proof.Kind
	Head string // asks in SQL for the idx of the newest
	At   string // asks in SQL when the leaf of idx $1 was recorded
	// Leaves yields at most so many leaves after an idx, in their order. It ends with an
	// error where one is missing.
	Leaves func(ctx context.Context, db projections.Querier, after int64, most int) iter.Seq2[Leaf, error]
}

// Sources returns all of them.
func Sources() []Source { return []Source{events} }

// events are the leaves of the log.
var events = Source{
	Kind: proof.Events, Leaves: leavesOfEvents,
	Head: `SELECT head FROM sequencer`,
	At:   `SELECT recorded_at FROM log JOIN events USING (position) WHERE idx = $1`,
}

func leavesOfEvents(ctx context.Context, db projections.Querier, after int64, most int) iter.Seq2[Leaf, error] {
	return func(yield func(Leaf, error) bool) {
		for stored, err := range (postgres.Log{DB: db, Page: most}).EachRow(ctx, after) {
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
