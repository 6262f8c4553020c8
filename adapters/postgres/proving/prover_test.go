package proving_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/postgres/proving"
	"frontdesk/domain/proof"
)

// wood is a database whose log grows past the store, and what its trees should hold.
type wood struct {
	t      *testing.T
	admin  *pgxpool.Pool
	pool   *pgxpool.Pool
	leaves map[proof.Tree][]leaf
	events int64 // that are in leaves
	calls  int64
}

type leaf struct {
	idx  int64
	hash tlog.Hash
}

func newWood(t *testing.T) *wood {
	t.Helper()
	db := postgrestest.New(t)
	return &wood{t: t, admin: db.SuperuserPool(t), pool: db.Pool(t), leaves: map[proof.Tree][]leaf{}}
}

func (w *wood) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

const grow = `
WITH more AS (
	INSERT INTO events (id, tenant, stream, version, name, patient, data, metadata, recorded_at, sealed)
	SELECT gen_random_uuid(), (ARRAY['north', 'south', '', 'north', 'north'])[1 + n % 5], gen_random_uuid(), 1, 'test.noted.v1',
		CASE WHEN n % 2 = 0 THEN gen_random_uuid() END, '{"note":"' || n || '"}', '{}', now(), CASE WHEN n % 3 = 0 THEN '\x01'::bytea END
	FROM generate_series(1, $1::int) n RETURNING position),
placed AS (INSERT INTO log (idx, position) SELECT head + row_number() OVER (ORDER BY position), position FROM more, sequencer)
UPDATE sequencer SET head = head + $1, reached = (SELECT max(position) FROM more)`

// grow lets the log grow by so many events.
func (w *wood) grow(by int) {
	w.t.Helper()
	_, err := w.admin.Exec(w.t.Context(), grow, by)
	w.must(err)
	for s, err := range (postgres.Log{DB: w.pool, Page: by}).EachRow(w.t.Context(), w.events) {
		w.must(err)
		of := proof.Tree{Tenant: s.Stream.Tenant, Kind: proof.Events}
		w.leaves[of] = append(w.leaves[of], leaf{s.Idx, proof.LeafOf(s).Hash()})
		w.events = s.Idx
	}
}

const call = `
INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, status, code, reason, token_hash)
SELECT gen_random_uuid(), now(), (ARRAY['north', 'nowhere'])[1 + n % 2], gen_random_uuid(), 'application-restricted', 'ping', 200, '', '', sha256('token')
FROM generate_series(1, $1::int) n`

// call lets the access record grow by so many lines, of which one half is of no practice.
func (w *wood) call(by int) {
	w.t.Helper()
	_, err := w.pool.Exec(w.t.Context(), call, by)
	w.must(err)
	rows, err := postgres.AccessRecord{DB: w.pool, Page: by}.Rows(w.t.Context(), w.calls)
	w.must(err)
	for _, r := range rows {
		of := proof.Tree{Tenant: r.Tree, Kind: proof.Access}
		w.leaves[of] = append(w.leaves[of], leaf{r.Leaf.Idx, r.Hash()})
		w.calls = r.Leaf.Idx
	}
}

func (w *wood) prover() *proving.Prover {
	return proving.NewProver(w.pool, &postgres.Bell{}, slog.New(slog.DiscardHandler))
}

func (w *wood) trees() proving.Trees { return proving.Trees{DB: w.pool} }

// check checks that each tree is the tree of its leaves, at its size and at others, and
// that proofs of leaves and of growth hold.
func (w *wood) check() {
	w.t.Helper()
	for of, leaves := range w.leaves {
		size, err := w.trees().Size(w.t.Context(), of)
		w.must(err)
		if size != int64(len(leaves)) {
			w.t.Fatalf("the tree of %q has %d leaves, want %d", of.Tenant, size, len(leaves))
		}
		w.checkTree(of, leaves)
	}
}

func (w *wood) checkTree(of proof.Tree, leaves []leaf) {
	w.t.Helper()
	reader, size := w.trees().Hashes(w.t.Context(), of), int64(len(leaves))
	roots := make([]tlog.Hash, size+1)
	var edge proof.Edge
	for n, l := range leaves {
		roots[n] = edge.Root()
		edge.Append(l.hash)
	}
	roots[size] = edge.Root()
	for at := size; at > 0; at = at * 2 / 5 {
		root, err := w.trees().Root(w.t.Context(), of, at)
		w.must(err)
		if root != roots[at] {
			w.t.Errorf("at size %d the root of %q is another", at, of.Tenant)
		}
		growth, err := tlog.ProveTree(size, at, reader)
		w.must(err)
		w.must(tlog.CheckTree(growth, size, roots[size], at, roots[at]))
		l := leaves[at-1]
		n, err := w.trees().Number(w.t.Context(), of, l.idx, l.hash)
		w.must(err)
		if n != at-1 {
			w.t.Errorf("idx %d is leaf %d, want %d", l.idx, n, at-1)
		}
		record, err := tlog.ProveRecord(size, n, reader)
		w.must(err)
		w.must(tlog.CheckRecord(record, size, roots[size], n, l.hash))
	}
	for n := int64(0); n < size; {
		found, err := w.trees().Leaves(w.t.Context(), of, n)
		w.must(err)
		for i, hash := range found {
			if hash != leaves[n+int64(i)].hash {
				w.t.Fatalf("leaf %d is another", n+int64(i))
			}
		}
		n += int64(len(found))
	}
}

func (w *wood) prove(prover *proving.Prover) {
	w.t.Helper()
	for more := true; more; {
		var err error
		more, err = prover.Prove(w.t.Context())
		w.must(err)
	}
}

// The trees are those of RFC 6962, however many leaves a batch has, and proofs are made
// from tiles and tails alike.
func TestTheTreesAreThoseOfTheLog_D76(t *testing.T) {
	t.Parallel()
	w := newWood(t)
	prover := w.prover()
	for _, step := range []struct{ grow, batch int }{{1, 10}, {4, 1}, {500, 100}, {2000, 1500}, {330, 7}, {1, 1}} {
		w.grow(step.grow)
		prover.Batch = step.batch
		w.prove(prover)
		w.check()
	}
	if _, err := w.trees().Number(t.Context(), proof.Tree{Tenant: "north", Kind: proof.Events}, 300, tlog.Hash{1}); !errors.Is(err, proving.ErrNoLeaf) {
		t.Errorf("error = %v", err)
	}
}

// Any number of provers may run, and end at any moment: one of them works at a time, and
// what it had not committed is made again.
func TestProversTakeTurnsAndMayEndAtAnyMoment_D76(t *testing.T) {
	t.Parallel()
	w := newWood(t)
	w.grow(3000)
	var group sync.WaitGroup
	for n := range 3 {
		group.Go(func() {
			for range 12 {
				limited, cancel := context.WithTimeout(t.Context(), time.Duration(1+n*5)*time.Millisecond)
				p := w.prover()
				p.Batch = 100 + n
				_, _ = p.Prove(limited) // most of them are cut off on the way
				cancel()
			}
		})
	}
	group.Wait()
	held, err := w.admin.Begin(t.Context())
	w.must(err)
	_, err = held.Exec(t.Context(), `SELECT FROM prover WHERE kind = 1 FOR UPDATE`)
	w.must(err)
	before := w.reached()
	w.prove(w.prover()) // returns at once
	if now := w.reached(); now != before {
		t.Errorf("idx %d was reached beside somebody at work, who was at %d", now, before)
	}
	w.must(held.Rollback(t.Context()))
	w.prove(w.prover())
	w.check()
}

func (w *wood) reached() (idx int64) {
	w.t.Helper()
	w.must(w.pool.QueryRow(w.t.Context(), `SELECT idx FROM prover WHERE kind = 1`).Scan(&idx))
	return idx
}

// What seal-log may still change is in no tree, and a log that has lost something adds
// nothing to one.
func TestNothingIsProvedThatIsNotFinal_D76(t *testing.T) {
	t.Parallel()
	w := newWood(t)
	w.grow(20)
	w.as(`UPDATE sealing SET finished_at = NULL`)
	w.prove(w.prover())
	rebuild := proving.Rebuild{Prover: w.rebuilder()}
	if _, err := rebuild.Run(t.Context()); err == nil || w.reached() != 0 {
		t.Errorf("error = %v, and idx %d is proved before the log is sealed", err, w.reached())
	}
	w.as(`UPDATE sealing SET finished_at = now()`)
	w.as(`DELETE FROM log WHERE idx = 11`)
	if _, err := w.prover().Prove(t.Context()); err == nil || w.reached() != 0 {
		t.Errorf("error = %v, and idx %d is proved beyond a hole", err, w.reached())
	}
	w.as(`INSERT INTO log (idx, position) SELECT 11, position FROM events WHERE position NOT IN (SELECT position FROM log)`)
	w.prove(w.prover())
	w.check()
	w.as(`UPDATE sequencer SET head = 15`)
	if _, err := w.prover().Prove(t.Context()); err == nil {
		t.Error("nobody hears of a log that ends before its trees")
	}
}

// as does something as a superuser whom no trigger stops.
func (w *wood) as(sql string) {
	w.t.Helper()
	_, err := w.admin.Exec(w.t.Context(), `SET session_replication_role = replica; `+sql)
	w.must(err)
}

func (w *wood) rebuilder() *proving.Prover {
	p := w.prover()
	p.Pool, p.Batch, p.Pace = w.admin, 100, time.Millisecond
	return p
}

// The trees are built again as they were, and those that somebody has changed are named.
func TestTreesAreBuiltAnew_D76(t *testing.T) {
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
	w.as(`UPDATE tree_tail SET hashes = overlay(hashes PLACING '\x01' FROM 65) WHERE tenant = 'south'`)
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

// Nobody can build what lies before the first line that is kept, so it stays.
func TestTreesOfWhatWasArchivedStay_D76(t *testing.T) {
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
