package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/domain/event"
)

// BenchmarkAppend compares appends of one event, sequencer and feed running,
// with one INSERT a commit into an equal table through the same pool. Those that are
// also handled count when a consumer has come to the head of the log.
func BenchmarkAppend(b *testing.B) {
	admin, url, e := durable(b, 40)
	if _, err := admin.Exec(b.Context(), `
		CREATE TABLE floor (LIKE events INCLUDING ALL);
		GRANT ALL ON floor TO frontdesk_app`); err != nil {
		b.Fatal(err)
	}
	e.sequence(b)
	var handled atomic.Int64 // the last idx
	enginetest.RunUntilCleanup(b, e.consumer("bench", func(_ context.Context, _ *pgx.Conn, page []event.Recorded) error {
		handled.Store(page[len(page)-1].Idx)
		return nil
	}).Run)
	compare := func(b *testing.B, writers int, unit string, turn func() benchtest.Work) {
		b.Helper()
		benchtest.Comparison{
			Ratio:   "of-insert",
			Floor:   benchtest.Rate{Unit: "inserts/s", Turn: turnOf(b, writers, e.insertFloor)},
			Rate:    benchtest.Rate{Unit: unit, Turn: turn},
			Cluster: benchtest.ClusterOf(b, admin),
		}.Run(b)
	}
	for _, writers := range []int{1, 8, 16, 32, 64, 128} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			appends := turnOf(b, writers, e.appendOne)
			b.Run("appended", func(b *testing.B) { compare(b, writers, "appends/s", appends) })
			b.Run("half on shared streams", func(b *testing.B) { compare(b, writers, "appends/s", turnOf(b, writers, e.appendShared())) })
			if testing.Short() {
				return
			}
			b.Run("handled", func(b *testing.B) { compare(b, writers, "handled/s", e.untilHandled(b, &handled, appends)) })
			b.Run("pgbench", func(b *testing.B) { pgbench(b, url, writers) })
		})
	}
}

func turnOf(b *testing.B, writers int, do func(context.Context) error) func() benchtest.Work {
	b.Helper()
	return func() benchtest.Work { return benchtest.During(b, writers, 400*time.Millisecond, do) }
}

// untilHandled is a turn that ends when everything that was appended has been handled.
func (e *engine) untilHandled(b *testing.B, handled *atomic.Int64, appends func() benchtest.Work) func() benchtest.Work {
	b.Helper()
	return func() benchtest.Work {
		e.Drain(b)
		head, err := eventstore.Log{DB: e.Pool}.Head(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		clocktest.Eventually(b, func() bool { return handled.Load() == head }, "what earlier turns have left is handled")
		begun := clock.Start()
		work := appends()
		clocktest.Eventually(b, func() bool { return handled.Load() == head+int64(work.Done) }, "everything is handled")
		work.Took = begun.Elapsed()
		return work
	}
}

func (e *engine) insertFloor(ctx context.Context) error {
	_, err := e.Pool.Exec(ctx, `INSERT INTO floor (id, tenant, stream, version, name, patient, data, metadata, recorded_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		uuid.New(), "elm-street", uuid.New(), 1, "test.marked.v1", uuid.New(), sample.Mark, metadataText, enginetest.Noon)
	return err
}

const metadataText = `{"actor":{"kind":"application","id":"0190c7a2-0000-7000-8000-00000000000a","mode":"application-restricted"},"requestId":"0190c7a2-0000-7000-8000-00000000000b"}`

func (e *engine) appendOne(ctx context.Context) error {
	marked := sample
	marked.Patient = uuid.New()
	_, err := e.Store.Append(ctx, event.Change{Stream: enginetest.NewStream(), Events: []event.Event{marked}})
	return err
}

// appendShared appends to new streams and, every other time, to one of 64 that all
// writers share. A conflict is decided again, as a command would be.
func (e *engine) appendShared() func(context.Context) error {
	var shared [64]struct {
		stream  event.Stream
		version atomic.Int64
	}
	for n := range shared {
		shared[n].stream = enginetest.NewStream()
	}
	var turn atomic.Int64
	return func(ctx context.Context) error {
		n := turn.Add(1)
		if n%2 == 0 {
			return e.appendOne(ctx)
		}
		s := &shared[rand.IntN(len(shared))]
		for {
			version := s.version.Load()
			_, err := e.Store.Append(ctx, event.Change{Stream: s.stream, Expected: int(version), Events: []event.Event{sample}})
			if err == nil {
				s.version.Store(version + 1)
				return nil
			}
			if !errors.Is(err, event.ErrConflict) {
				return err
			}
		}
	}
}

var tps = regexp.MustCompile(`tps = ([0-9.]+)`)

// pgbench measures the rate of Postgres' own tool with the same INSERT.
func pgbench(b *testing.B, url string, clients int) {
	b.Helper()
	script := filepath.Join(b.TempDir(), "insert.sql")
	text := `INSERT INTO floor (id, tenant, stream, version, name, patient, data, metadata, recorded_at)
		VALUES (gen_random_uuid(), 'elm-street', gen_random_uuid(), 1, 'test.marked.v1', gen_random_uuid(), '` + sample.Mark + `', '` + metadataText + `', now());`
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

// BenchmarkAppendMany compares appends of a hundred events to a new stream with one INSERT
// a commit.
func BenchmarkAppendMany(b *testing.B) {
	admin, _, e := durable(b, 8)
	if _, err := admin.Exec(b.Context(), `CREATE TABLE floor (LIKE events INCLUDING ALL); GRANT ALL ON floor TO frontdesk_app`); err != nil {
		b.Fatal(err)
	}
	e.sequence(b)
	const events = 100
	many := make([]event.Event, events)
	for n := range many {
		many[n] = sample
	}
	appendMany := func(ctx context.Context) error {
		_, err := e.Store.Append(ctx, event.Change{Stream: enginetest.NewStream(), Events: many})
		return err
	}
	benchtest.Comparison{
		Ratio: "of-insert",
		Floor: benchtest.Rate{Unit: "inserts/s", Turn: turnOf(b, 1, e.insertFloor)},
		Rate: benchtest.Rate{Unit: "events/s", Turn: func() benchtest.Work {
			work := benchtest.During(b, 1, 400*time.Millisecond, appendMany)
			work.Done *= events
			return work
		}},
		Cluster: benchtest.ClusterOf(b, admin),
	}.Run(b)
}
