package eventstore_test

import (
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/domain/event/eventtest"
)

func durable(b *testing.B, connections int32) (admin *pgxpool.Pool, adminURL string, e *engine) {
	b.Helper()
	admin, adminURL, durable := enginetest.Durable(b, connections)
	return admin, adminURL, withTail(durable)
}

// sample is an event of a usual size: about 300 bytes, and 150 of metadata. Nothing in it
// is personal, so no key is needed.
var sample = eventtest.Marked{Mark: strings.Repeat("It hurts when I laugh. ", 10)}

// replayed is how many events a log has that is read as a whole.
func replayed() int {
	if testing.Short() {
		return 200_000
	}
	return 1_000_000
}

// fill writes a log of that many events, past the store.
func fill(b *testing.B, admin *pgxpool.Pool) {
	b.Helper()
	for _, statement := range []string{
		`INSERT INTO events (id, tenant, stream, version, name, patient, data, metadata, recorded_at)
		SELECT gen_random_uuid(), 'elm-street', gen_random_uuid(), 1, 'test.marked.v1', gen_random_uuid(),
			'{"patient":"' || gen_random_uuid() || '","mark":"` + sample.Mark + `"}', '` + metadataText + `', now()
		FROM generate_series(1, ` + strconv.Itoa(replayed()) + `)`,
		`INSERT INTO log (idx, position) SELECT row_number() OVER (ORDER BY position), position FROM events`,
		`UPDATE sequencer SET (head, reached) = (SELECT max(idx), max(position) FROM log)`,
		`VACUUM ANALYZE events`, `VACUUM ANALYZE log`,
	} {
		if _, err := admin.Exec(b.Context(), statement); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReplay compares reading and decoding a log of a million events, or 200,000 in a short run, with
// COPY of the same rows to a client that throws them away.
func BenchmarkReplay(b *testing.B) {
	admin, _, e := durable(b, 4)
	fill(b, admin)
	var floor float64
	b.Run("copy", func(b *testing.B) {
		for range b.N {
			start := clock.Start()
			conn, err := e.Pool.Acquire(b.Context())
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
			floor = float64(replayed()) / start.Elapsed().Seconds()
		}
		b.ReportMetric(floor, "events/s")
	})
	b.Run("replay", func(b *testing.B) {
		log, rate := eventstore.Log{DB: e.Pool, Codec: e.Store.Codec}, 0.0
		for range b.N {
			start, read := clock.Start(), 0
			for _, err := range log.After(b.Context(), 0) {
				if err != nil {
					b.Fatal(err)
				}
				read++
			}
			if read != replayed() {
				b.Fatalf("read %d events", read)
			}
			rate = float64(replayed()) / start.Elapsed().Seconds()
		}
		b.ReportMetric(rate, "events/s")
		b.ReportMetric(rate/floor, "of-copy")
	})
}
