package proving_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/background"
	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/postgres/proving"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/proof"
)

// forest is a cluster that flushes to disk, with a log that grows and its trees.
type forest struct {
	b           *testing.B
	admin, pool *pgxpool.Pool
	prover      *proving.Prover
}

func newForest(b *testing.B) *forest {
	b.Helper()
	server := postgrestest.Cluster(b)
	f := &forest{b: b}
	for url, pool := range map[string]**pgxpool.Pool{server.URL("frontdesk", embedded.Superuser): &f.admin, server.URL("frontdesk", postgres.AppRole): &f.pool} {
		var err error
		*pool, err = postgres.NewPool(b.Context(), url, 40)
		f.must(err)
		b.Cleanup((*pool).Close)
	}
	f.prover = proving.NewProver(f.pool, &background.Broadcast{}, slog.New(slog.DiscardHandler))
	return f
}

func (f *forest) must(err error) {
	f.b.Helper()
	if err != nil {
		f.b.Fatal(err)
	}
}

// stored is an event of a typical size: 250 bytes of data, 150 of metadata, a box of
// 120.
const stored = `
WITH more AS (
	INSERT INTO events (id, tenant, stream, version, name, patient, data, metadata, recorded_at, sealed)
	SELECT gen_random_uuid(), 'practice-' || n % $2, gen_random_uuid(), 1, 'test.noted.v1', gen_random_uuid(), $3, $4, now(), $5
	FROM generate_series(1, $1::int) n RETURNING position),
placed AS (INSERT INTO log (idx, position) SELECT head + row_number() OVER (ORDER BY position), position FROM more, sequencer)
UPDATE sequencer SET head = head + $1, reached = (SELECT max(position) FROM more)`

const provedAtOnce = 20_000

func (f *forest) grow(practices int) {
	f.b.Helper()
	text := func(size int) string { return `{"text":"` + strings.Repeat("x", size) + `"}` }
	_, err := f.admin.Exec(f.b.Context(), stored, provedAtOnce, practices, text(240), text(140), make([]byte, 120))
	f.must(err)
}

// prove builds the trees up to the head.
func (f *forest) prove() benchtest.Work {
	f.b.Helper()
	begun, from := clock.Start(), f.reached()
	for more := true; more; {
		var err error
		more, err = f.prover.Prove(f.b.Context())
		f.must(err)
	}
	return benchtest.Work{Done: float64(f.reached() - from), Took: begun.Elapsed()}
}

func (f *forest) reached() (idx int64) {
	f.b.Helper()
	f.must(f.pool.QueryRow(f.b.Context(), `SELECT idx FROM prover WHERE kind = 1`).Scan(&idx))
	return idx
}

// read hashes the newest proved events, and stores nothing.
func (f *forest) read() benchtest.Work {
	f.b.Helper()
	begun, n := clock.Start(), 0
	for s, err := range (eventstore.Log{DB: f.pool, Page: provedAtOnce}).EachRow(f.b.Context(), max(0, f.reached()-provedAtOnce)) {
		f.must(err)
		_ = proof.LeafOf(s).Hash()
		n++
	}
	return benchtest.Work{Done: float64(n), Took: begun.Elapsed()}
}

// BenchmarkProver compares building trees of a backlog with reading it and hashing its
// leaves. It reports the bytes of an event in the trees, and in the WAL.
func BenchmarkProver(b *testing.B) {
	f := newForest(b)
	for _, practices := range []int{1, 100, 1000} {
		b.Run(fmt.Sprintf("practices=%d", practices), func(b *testing.B) {
			f.b = b
			f.grow(practices)
			f.prove()
			events, size, wal := f.reached(), f.size(), 0.0
			benchtest.Comparison{
				Ratio:   "of-reading",
				Floor:   benchtest.Rate{Unit: "read/s", Turn: f.read},
				Rate:    benchtest.Rate{Unit: "events/s", Prepare: func() { f.grow(practices) }, Turn: func() benchtest.Work { return f.counting(&wal) }},
				Cluster: benchtest.ClusterOf(b, f.admin),
			}.Run(b)
			more := float64(f.reached() - events)
			b.ReportMetric((f.size()-size)/more, "B-event")
			b.ReportMetric(wal/more, "WAL-B-event")
		})
	}
}

func (f *forest) counting(wal *float64) benchtest.Work {
	before := f.wal()
	work := f.prove()
	*wal += f.wal() - before
	return work
}

func (f *forest) wal() (bytes float64) {
	f.b.Helper()
	f.must(f.admin.QueryRow(f.b.Context(), `SELECT pg_current_wal_insert_lsn() - '0/0'`).Scan(&bytes))
	return bytes
}

func (f *forest) size() (bytes float64) {
	f.b.Helper()
	for _, table := range []string{"trees", "tree_tail", "tree_tiles"} {
		_, err := f.admin.Exec(f.b.Context(), `VACUUM `+table)
		f.must(err)
		var size float64
		f.must(f.admin.QueryRow(f.b.Context(), `SELECT pg_total_relation_size($1)`, table).Scan(&size))
		bytes += size
	}
	return bytes
}

// BenchmarkAppendProved compares appends of one event with the sequencer and a prover
// running, and without the prover.
func BenchmarkAppendProved(b *testing.B) {
	f := newForest(b)
	codec, err := event.NewCodec(eventtest.Events()...)
	f.must(err)
	appended, grown := &background.Broadcast{}, &background.Broadcast{}
	store := &eventstore.Store{DB: postgres.On(f.pool), Codec: codec, Now: func() time.Time { return commandtest.Noon }, Appended: appended}
	f.running(eventstore.NewSequencer(f.pool, appended, grown, nil).Run)
	f.prover.Grown = grown
	for _, practices := range []int{1, 1000} {
		for _, writers := range []int{8, 32} {
			b.Run(fmt.Sprintf("practices=%d/writers=%d", practices, writers), func(b *testing.B) {
				f.b = b
				appends := func() benchtest.Work {
					return benchtest.During(b, writers, time.Second, func(ctx context.Context) error { return appendOne(ctx, store, practices) })
				}
				benchtest.Comparison{
					Ratio: "of-unproved",
					Floor: benchtest.Rate{Unit: "unproved/s", Turn: appends},
					Rate: benchtest.Rate{Unit: "appends/s", Prepare: func() { f.prove() }, Turn: func() benchtest.Work {
						defer f.running(f.prover.Run)()
						return appends()
					}},
					Cluster: benchtest.ClusterOf(b, f.admin),
				}.Run(b)
			})
		}
	}
}

func appendOne(ctx context.Context, store *eventstore.Store, practices int) error {
	stream := event.Stream{Tenant: fmt.Sprint("practice-", rand.IntN(practices)), ID: uuid.New()}
	_, err := store.Append(ctx, event.Change{Stream: stream, Events: []event.Event{eventtest.Marked{Patient: uuid.New(), Mark: strings.Repeat("x", 240)}}})
	return err
}

// running runs work until it is stopped, or the benchmark ends.
func (f *forest) running(run func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(f.b.Context()))
	var group sync.WaitGroup
	group.Go(func() { run(ctx) })
	stop = func() { cancel(); group.Wait() }
	f.b.Cleanup(stop)
	return stop
}
