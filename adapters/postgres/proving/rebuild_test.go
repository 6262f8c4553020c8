package proving_test

import (
	"slices"
	"testing"
	"time"

	"frontdesk/adapters/postgres/proving"
	"frontdesk/domain/proof"
)

func (w *wood) rebuilder() *proving.Prover {
	p := w.prover()
	p.Pool, p.Batch, p.Pace = w.admin, 100, time.Millisecond
	return p
}

// The trees are built again as they were, and changed ones are named.
func TestTreesAreRebuiltFromLog_D76(t *testing.T) {
	t.Parallel()
	w := newWood(t)
	w.as(`INSERT INTO practices (tenant, name, time_zone) VALUES ('north', 'North', 'Europe/London')`)
	w.grow(1700)
	w.call(1800)
	w.prove(w.prover())
	w.check()
	others, err := proving.Rebuild{Prover: w.rebuilder()}.Run(t.Context())
	w.must(err)
	if len(others) > 0 {
		t.Errorf("others: %v", others)
	}
	w.check()
	w.as(`UPDATE tree_tail SET hashes = set_byte(hashes, 64, get_byte(hashes, 64) # 1) WHERE tenant = 'south'`)
	w.as(`DELETE FROM tree_tiles WHERE tenant = 'north' AND kind = 1 AND n = 1`)
	var done int64
	rebuild := proving.Rebuild{Prover: w.rebuilder(), Progress: func(n, _ int64) { done = max(done, n) }}
	others, err = rebuild.Run(t.Context())
	w.must(err)
	want := []proof.Tree{{Tenant: "north", Kind: proof.Events}, {Tenant: "south", Kind: proof.Events}}
	if !slices.Equal(others, want) || done != 1800 {
		t.Errorf("others: %v, want %v; done: %d", others, want, done)
	}
	w.check()
}

// The part before the first kept line cannot be built, so it stays.
func TestTreesOfArchivedEventsStay_D76(t *testing.T) {
	t.Parallel()
	w := newWood(t)
	w.as(`INSERT INTO practices (tenant, name, time_zone) VALUES ('north', 'North', 'Europe/London')`)
	w.call(1400)
	w.prove(w.prover())
	for _, archived := range []int64{750, 1390} {
		for _, tenant := range []string{"north", ""} {
			var edge proof.Edge
			for _, l := range w.leaves[proof.Tree{Tenant: tenant, Kind: proof.Access}] {
				if l.idx <= archived {
					edge.Append(l.hash)
				}
			}
			_, err := w.admin.Exec(t.Context(), `
				INSERT INTO archived_trees (tenant, size, edge) VALUES ($1, $2, $3)
				ON CONFLICT (tenant) DO UPDATE SET size = excluded.size, edge = excluded.edge`, tenant, edge.Size, edge.Bytes())
			w.must(err)
		}
		_, err := w.admin.Exec(t.Context(), `UPDATE access_head SET archived = $1`, archived)
		w.must(err)
		w.as(`DELETE FROM access_log USING access_head WHERE access_log.idx <= archived`)
		others, err := proving.Rebuild{Prover: w.rebuilder()}.Run(t.Context())
		w.must(err)
		if len(others) > 0 {
			t.Errorf("others: %v", others)
		}
		w.call(30)
		w.prove(w.prover())
		w.check()
	}
}
