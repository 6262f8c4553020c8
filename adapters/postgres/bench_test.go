package postgres_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

// durable is a migrated database on a cluster that flushes to disk, as in
// production, with a pool of connections.
func durable(b *testing.B, connections int32) (admin *pgxpool.Pool, adminURL string, e *engine) {
	b.Helper()
	server := postgrestest.Cluster(b)
	adminURL = server.URL("frontdesk", embedded.Superuser)
	url := fmt.Sprintf("%s&pool_max_conns=%d&pool_min_conns=%d", server.URL("frontdesk", "frontdesk_app"), connections, connections)
	admin, err := postgres.NewPool(b.Context(), adminURL, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(admin.Close)
	return admin, adminURL, engineOn(b, url)
}

// sample is an event of a usual size: about 300 bytes, and 150 of metadata.
var sample = eventtest.Noted{Note: strings.Repeat("It hurts when I laugh. ", 10)}

// BenchmarkAppend compares appends of one event, sequencer and feed running,
// with one INSERT a commit into an equal table through the same pool.
func BenchmarkAppend(b *testing.B) {
	admin, url, e := durable(b, 40)
	if _, err := admin.Exec(b.Context(), `
		CREATE TABLE floor (LIKE events INCLUDING ALL);
		GRANT ALL ON floor TO frontdesk_app`); err != nil {
		b.Fatal(err)
	}
	e.sequence(b)
	runUntilCleanup(b, e.consumer("bench", func(context.Context, *sql.Tx, event.Recorded) error { return nil }).Run)

	for _, writers := range []int{1, 8, 32} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			b.Run("append", func(b *testing.B) {
				benchtest.Compare(b, "of-insert",
					benchtest.Rate{Unit: "inserts/s", Measure: rate(b, writers, e.insertFloor)},
					benchtest.Rate{Unit: "appends/s", Measure: rate(b, writers, e.appendOne)})
			})
			b.Run("pgbench", func(b *testing.B) { pgbench(b, url, writers) })
		})
	}
}

func rate(b *testing.B, writers int, do func(context.Context) error) func() float64 {
	b.Helper()
	return func() float64 { return benchtest.PerSecond(b, writers, 400*time.Millisecond, do) }
}

func (e *engine) insertFloor(ctx context.Context) error {
	_, err := e.pool.Exec(ctx, `INSERT INTO floor (id, tenant, stream, version, name, patient, data, metadata, recorded_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		uuid.New(), "elm-street", uuid.New(), 1, "test.noted.v1", uuid.New(), sample.Note, metadataText, time.Now())
	return err
}

const metadataText = `{"actor":{"kind":"application","id":"0190c7a2-0000-7000-8000-00000000000a","mode":"application-restricted"},"requestId":"0190c7a2-0000-7000-8000-00000000000b"}`

func (e *engine) appendOne(ctx context.Context) error {
	noted := sample
	noted.Patient = uuid.New()
	_, err := e.store.Append(ctx, event.Change{Stream: newStream(), Events: []event.Event{noted}})
	return err
}

var tps = regexp.MustCompile(`tps = ([0-9.]+)`)

// pgbench is what Postgres' own tool reaches with the same INSERT.
func pgbench(b *testing.B, url string, clients int) {
	b.Helper()
	script := filepath.Join(b.TempDir(), "insert.sql")
	text := `INSERT INTO floor (id, tenant, stream, version, name, patient, data, metadata, recorded_at)
		VALUES (gen_random_uuid(), 'elm-street', gen_random_uuid(), 1, 'test.noted.v1', gen_random_uuid(), '` + sample.Note + `', '` + metadataText + `', now());`
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	output, err := exec.CommandContext(b.Context(), "pgbench", "-n", "-M", "prepared", "-j", "2", "-T", "2",
		"-c", strconv.Itoa(clients), "-f", script, url).CombinedOutput()
	match := tps.FindSubmatch(output)
	if err != nil || match == nil {
		b.Skipf("pgbench is not to be had: %v %s", err, output)
	}
	rate, _ := strconv.ParseFloat(string(match[1]), 64)
	b.ReportMetric(rate, "events/s")
	b.ReportMetric(0, "ns/op")
}

const replayed = 1_000_000

// fill writes a log of that many events, past the store.
func fill(b *testing.B, admin *pgxpool.Pool) {
	b.Helper()
	for _, statement := range []string{
		`INSERT INTO events (id, tenant, stream, version, name, patient, data, metadata, recorded_at)
		SELECT gen_random_uuid(), 'elm-street', gen_random_uuid(), 1, 'test.noted.v1', gen_random_uuid(),
			'{"patient":"' || gen_random_uuid() || '","note":"` + sample.Note + `"}', '` + metadataText + `', now()
		FROM generate_series(1, ` + strconv.Itoa(replayed) + `)`,
		`INSERT INTO log (idx, position) SELECT row_number() OVER (ORDER BY position), position FROM events`,
		`UPDATE sequencer SET (head, reached) = (SELECT max(idx), max(position) FROM log)`,
		`VACUUM ANALYZE events`, `VACUUM ANALYZE log`,
	} {
		if _, err := admin.Exec(b.Context(), statement); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReplay compares reading and decoding a log of a million events with
// COPY of the same rows to a client that throws them away.
func BenchmarkReplay(b *testing.B) {
	admin, _, e := durable(b, 4)
	fill(b, admin)
	var floor float64
	b.Run("copy", func(b *testing.B) {
		for range b.N {
			start := time.Now()
			conn, err := e.pool.Acquire(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			_, err = conn.Conn().PgConn().CopyTo(b.Context(), io.Discard, `COPY (
				SELECT l.idx, e.id, e.tenant, e.stream, e.version, e.name, e.data, e.metadata, e.recorded_at
				FROM log l JOIN events e USING (position) ORDER BY l.idx) TO STDOUT (FORMAT binary)`)
			conn.Release()
			if err != nil {
				b.Fatal(err)
			}
			floor = replayed / time.Since(start).Seconds()
		}
		b.ReportMetric(floor, "events/s")
	})
	b.Run("replay", func(b *testing.B) {
		log, rate := postgres.Log{DB: e.pool, Codec: e.store.Codec}, 0.0
		for range b.N {
			start, read := time.Now(), 0
			for _, err := range log.After(b.Context(), 0) {
				if err != nil {
					b.Fatal(err)
				}
				read++
			}
			if read != replayed {
				b.Fatalf("read %d events", read)
			}
			rate = replayed / time.Since(start).Seconds()
		}
		b.ReportMetric(rate, "events/s")
		b.ReportMetric(rate/floor, "of-copy")
	})
}

// BenchmarkLag measures the way from an append's return to the feed's handler:
// at rest, and under half the load that 8 writers reach.
func BenchmarkLag(b *testing.B) {
	_, _, e := durable(b, 24)
	e.sequence(b)
	var arrived sync.Map // id → time
	runUntilCleanup(b, e.consumer("lag", func(_ context.Context, _ *sql.Tx, r event.Recorded) error {
		arrived.Store(r.ID, time.Now())
		return nil
	}).Run)

	b.Run("at rest", func(b *testing.B) { e.lag(b, &arrived, 100, 20*time.Millisecond) })

	var done atomic.Int64
	start := time.Now()
	for time.Since(start) < time.Second {
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() { _ = e.appendOne(b.Context()); done.Add(1) })
		}
		group.Wait()
	}
	pause := time.Second / time.Duration(max(done.Load()/2, 1))
	b.Run("at half load", func(b *testing.B) { e.lag(b, &arrived, 2000, pause) })
}

func (e *engine) lag(b *testing.B, arrived *sync.Map, events int, pause time.Duration) {
	b.Helper()
	committed := map[uuid.UUID]time.Time{}
	for range events {
		recorded, err := e.store.Append(b.Context(), event.Change{Stream: newStream(), Events: []event.Event{sample}})
		if err != nil {
			b.Fatal(err)
		}
		committed[recorded[0].ID] = time.Now()
		time.Sleep(pause)
	}
	var lags []time.Duration
	for id, at := range committed {
		eventually(b, "everything arrives", func() bool {
			seen, ok := arrived.Load(id)
			if ok {
				lags = append(lags, max(0, seen.(time.Time).Sub(at)))
			}
			return ok
		})
	}
	slices.Sort(lags)
	b.ReportMetric(float64(lags[len(lags)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(lags[len(lags)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(0, "ns/op")
}
