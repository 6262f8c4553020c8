//go:build prove

package proving_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/provetest"
	"frontdesk/domain/proof"
)

var (
	manyEvents    = provetest.Pick(1_000_000, 10_000_000)
	manyPractices = provetest.Pick(100, 1000)
)

const grownForYears = `
WITH more AS (
	INSERT INTO events (id, tenant, stream, version, name, patient, data, metadata, recorded_at)
	SELECT gen_random_uuid(), 'practice-' || n % $2, gen_random_uuid(), 1, 'test.noted.v1', NULL, '{"note":"' || n || '"}', '{}', now()
	FROM generate_series(1, $1::int) n RETURNING position),
placed AS (INSERT INTO log (idx, position) SELECT head + row_number() OVER (ORDER BY position), position FROM more, sequencer)
UPDATE sequencer SET head = head + $1, reached = (SELECT max(position) FROM more)`

// TestProveTheTreesOfYears builds the trees of ten million events of a thousand
// practices, or a tenth of that in a nightly run. It shows that a proof is made and
// checked quickly, even if the prover is behind by 100,000 events.
func TestProveTheTreesOfYears(t *testing.T) { //nolint:paralleltest // it measures
	server := postgrestest.Cluster(t) // on a disk: it takes some 6 GB
	w := &wood{t: t, admin: pooled(t, server.URL("frontdesk", embedded.Superuser)), pool: pooled(t, server.URL("frontdesk", postgres.AppRole))}
	for n := 0; n < manyEvents; n += 500_000 {
		_, err := w.admin.Exec(t.Context(), grownForYears, 500_000, manyPractices)
		w.must(err)
	}
	_, err := w.admin.Exec(t.Context(), `ANALYZE`)
	w.must(err)
	begun := clock.Start()
	w.prove(w.prover())
	t.Logf("%d events a second", int64(float64(manyEvents)/begun.Elapsed().Seconds()))
	_, err = w.admin.Exec(t.Context(), grownForYears, 100_000, manyPractices)
	w.must(err)
	w.proveAny()
	begun = clock.Start()
	w.prove(w.prover())
	t.Logf("100,000 events behind: made up for within %s", begun.Elapsed().Round(time.Millisecond))
	w.proveAny()
	provetest.Tried(t, int(w.reached()), "events")
	provetest.Tried(t, manyPractices, "practices")
}

func pooled(t *testing.T, url string) *pgxpool.Pool {
	t.Helper()
	pool, err := postgres.NewPool(t.Context(), url, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// proveAny proves random leaves, and that trees only grew.
func (w *wood) proveAny() {
	w.t.Helper()
	sizes, err := w.trees().Sizes(w.t.Context())
	w.must(err)
	begun, leaves := clock.Start(), int64(0)
	for key, size := range sizes {
		if leaves += size; size > 0 {
			w.proveLeaf(key, size, rand.Int64N(size))
		}
	}
	w.t.Logf("%d leaves; a proof of a leaf, one of growth and their checks take %s", leaves, begun.Elapsed()/time.Duration(len(sizes)))
	if reached := w.reached(); leaves != reached {
		w.t.Errorf("the trees have %d leaves, want %d", leaves, reached)
	}
}

func (w *wood) proveLeaf(key proof.Tree, size, n int64) {
	w.t.Helper()
	reader := w.trees().Hashes(w.t.Context(), key)
	root, err := w.trees().Root(w.t.Context(), key, size)
	w.must(err)
	leaf, err := reader.ReadHashes([]int64{tlog.StoredHashIndex(0, n)})
	w.must(err)
	record, err := tlog.ProveRecord(size, n, reader)
	w.must(err)
	w.must(tlog.CheckRecord(record, size, root, n, leaf[0]))
	before, err := w.trees().Root(w.t.Context(), key, n+1)
	w.must(err)
	growth, err := tlog.ProveTree(size, n+1, reader)
	w.must(err)
	w.must(tlog.CheckTree(growth, size, root, n+1, before))
}
