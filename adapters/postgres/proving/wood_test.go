package proving_test

import (
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/background"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/postgres/proving"
	"frontdesk/domain/proof"
)

// wood is a database whose log grows past the store, and the expected trees.
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

// grow adds events to the log.
func (w *wood) grow(by int) {
	w.t.Helper()
	_, err := w.admin.Exec(w.t.Context(), grow, by)
	w.must(err)
	for s, err := range (eventstore.Log{DB: w.pool, Page: by}).EachRow(w.t.Context(), w.events) {
		w.must(err)
		key := proof.Tree{Tenant: s.Stream.Tenant, Kind: proof.Events}
		w.leaves[key] = append(w.leaves[key], leaf{s.Idx, proof.LeafOf(s).Hash()})
		w.events = s.Idx
	}
}

const call = `
INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, status, code, reason, token_hash)
SELECT gen_random_uuid(), now(), (ARRAY['north', 'nowhere'])[1 + n % 2], gen_random_uuid(), 'application-restricted', 'ping', 200, '', '', sha256('token')
FROM generate_series(1, $1::int) n`

// call adds lines to the access record, half of them of no practice.
func (w *wood) call(by int) {
	w.t.Helper()
	_, err := w.pool.Exec(w.t.Context(), call, by)
	w.must(err)
	rows, err := accesslog.Record{DB: w.pool, Page: by}.Rows(w.t.Context(), w.calls)
	w.must(err)
	for _, r := range rows {
		key := proof.Tree{Tenant: r.Tree, Kind: proof.Access}
		w.leaves[key] = append(w.leaves[key], leaf{r.Leaf.Idx, r.Hash()})
		w.calls = r.Leaf.Idx
	}
}

func (w *wood) prover() *proving.Prover {
	return proving.NewProver(w.pool, &background.Broadcast{}, slog.New(slog.DiscardHandler))
}

func (w *wood) trees() proving.Trees { return proving.Trees{DB: w.pool} }

// check checks that each tree is the tree of its leaves, at its size and at others, and
// that inclusion and consistency proofs are valid.
func (w *wood) check() {
	w.t.Helper()
	for key, leaves := range w.leaves {
		size, err := w.trees().Size(w.t.Context(), key)
		w.must(err)
		if size != int64(len(leaves)) {
			w.t.Fatalf("the tree of %q has %d leaves, want %d", key.Tenant, size, len(leaves))
		}
		w.checkTree(key, leaves)
	}
}

func (w *wood) checkTree(key proof.Tree, leaves []leaf) {
	w.t.Helper()
	reader, size := w.trees().Hashes(w.t.Context(), key), int64(len(leaves))
	roots := make([]tlog.Hash, size+1)
	var edge proof.Edge
	for n, l := range leaves {
		roots[n] = edge.Root()
		edge.Append(l.hash)
	}
	roots[size] = edge.Root()
	for at := size; at > 0; at = at * 2 / 5 {
		root, err := w.trees().Root(w.t.Context(), key, at)
		w.must(err)
		if root != roots[at] {
			w.t.Errorf("at size %d the root of %q is another", at, key.Tenant)
		}
		growth, err := tlog.ProveTree(size, at, reader)
		w.must(err)
		w.must(tlog.CheckTree(growth, size, roots[size], at, roots[at]))
		l := leaves[at-1]
		n, err := w.trees().Number(w.t.Context(), key, l.idx, l.hash)
		w.must(err)
		if n != at-1 {
			w.t.Errorf("idx %d is leaf %d, want %d", l.idx, n, at-1)
		}
		record, err := tlog.ProveRecord(size, n, reader)
		w.must(err)
		w.must(tlog.CheckRecord(record, size, roots[size], n, l.hash))
	}
	for n := int64(0); n < size; {
		found, err := w.trees().Leaves(w.t.Context(), key, n)
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

func (w *wood) reached() (idx int64) {
	w.t.Helper()
	w.must(w.pool.QueryRow(w.t.Context(), `SELECT idx FROM prover WHERE kind = 1`).Scan(&idx))
	return idx
}

// as runs a statement as a superuser without triggers.
func (w *wood) as(sql string) {
	w.t.Helper()
	_, err := w.admin.Exec(w.t.Context(), `SET session_replication_role = replica; `+sql)
	w.must(err)
}
