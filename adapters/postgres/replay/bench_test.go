package replay_test

import (
	"flag"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

var events = flag.Int("events", 1_000_000, "events that BenchmarkRebuild rebuilds from, after a tenth of them")

// BenchmarkRebuild compares a rebuild of every read model with writing the same rows by
// pgx.Batch, and with reading and decoding the events.
//
//	of-batch       speed without the comparing, as a part of the batches'; the goal is 0.6
//	of-batch-all   the same with it
//	of-reading     speed without the comparing, as a part of the reading's
//	MiB-heap       of the program at its highest: the same for both sizes
//	ms-held        how long appends were blocked for repairing 200 rows: the same
func BenchmarkRebuild(b *testing.B) {
	for _, n := range []int{*events / 10, *events} {
		b.Run(fmt.Sprintf("events=%d", n), func(b *testing.B) {
			server := postgrestest.Cluster(b)
			s := newSurgeryOn(b, &postgrestest.Database{
				URL: server.URL("frontdesk", postgres.AppRole), AdminURL: server.URL("frontdesk", embedded.Superuser),
			})
			s.follow(b)
			s.fill(b, n)
			s.race(b, float64(n))
			b.ReportMetric(0, "ns/op")
		})
	}
}

func (s *surgery) race(b *testing.B, n float64) {
	b.Helper()
	floor := newFloor(b, s)
	rebuild := s.rebuild()
	rebuild.Log.Page, rebuild.Now, rebuild.Progress = 0, clock.System, floor.turn
	begun := clock.Start()
	result, err := rebuild.Run(b.Context())
	all := begun.Elapsed() - floor.took
	if err != nil || len(result.Differences) != 2 || result.Differences[0].Strange != 100 || result.Differences[1].Missing != 100 {
		b.Fatalf("%+v, %v", result.Differences, err)
	}
	b.ReportMetric(n/floor.built.Seconds(), "events/s")
	b.ReportMetric(floor.writing.Seconds()/floor.built.Seconds(), "of-batch")
	b.ReportMetric(floor.writing.Seconds()/all.Seconds(), "of-batch-all")
	b.ReportMetric(floor.reading.Seconds()/floor.built.Seconds(), "of-reading")
	b.ReportMetric(float64(floor.heap)/(1<<20), "MiB-heap")

	rebuild.Switch, rebuild.Progress = true, nil
	if result, err = rebuild.Run(b.Context()); err != nil || !result.Switched {
		b.Fatalf("%+v, %v", result.Differences, err)
	}
	b.ReportMetric(float64(result.Held.Microseconds())/1000, "ms-held")
}

// floor does a rebuild's reads and writes on the live tables. They take turns of twenty
// pages, so that a slow moment of the machine affects both. At the end it damages 200
// rows: if the rebuild finds exactly these, both have written the same.
type floor struct {
	b       *testing.B
	s       *surgery
	conn    *pgxpool.Conn
	idx     int64
	resumed clock.Stopwatch // the rebuild, from its last pause
	calls   int
	heap    uint64

	built, took, reading, writing time.Duration
}

func newFloor(b *testing.B, s *surgery) *floor {
	b.Helper()
	conn, err := s.owner.Acquire(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(conn.Release)
	f := &floor{b: b, s: s, conn: conn}
	if err := conn.QueryRow(b.Context(), `SELECT max(idx) FROM feed_offsets`).Scan(&f.idx); err != nil {
		b.Fatal(err)
	}
	s.exec(b, `UPDATE feed_offsets SET idx = (SELECT max(idx) FROM log)`)
	runtime.GC()
	f.resumed = clock.Start()
	return f
}

// turn is called between two transactions of the rebuild.
func (f *floor) turn(done, all int64) {
	f.built += f.resumed.Elapsed()
	begun := clock.Start()
	defer func() { f.took += begun.Elapsed(); f.resumed = clock.Start() }()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	f.heap = max(f.heap, memory.HeapInuse)
	last := all-done <= 500
	if f.calls++; f.calls%20 > 0 && !last {
		return
	}
	for f.idx < done && f.page() {
	}
	if last {
		for f.idx < all && f.page() {
		}
		f.s.exec(f.b, `UPDATE patients SET restricted = NOT restricted WHERE patient IN (SELECT patient FROM patients ORDER BY patient LIMIT 100)`)
		f.s.exec(f.b, `DELETE FROM timeline WHERE idx IN (SELECT idx FROM timeline ORDER BY idx LIMIT 100)`)
	}
}

func (f *floor) page() (more bool) {
	begun := clock.Start()
	page, err := f.s.log().Next(f.b.Context(), f.idx)
	if err != nil || len(page) == 0 {
		f.b.Errorf("the log ends at idx %d: %v", f.idx, err)
		return false
	}
	f.reading += begun.Elapsed()
	batch := &pgx.Batch{}
	var statements []projections.Statement
	for _, e := range page {
		statements = append(statements, projections.StatementsFor(e, f.s.rebuild().Projections...)...)
	}
	projections.Queue(batch, statements)
	begun = clock.Start()
	if err := f.conn.SendBatch(f.b.Context(), batch).Close(); err != nil {
		f.b.Error(err)
		return false
	}
	f.writing += begun.Elapsed()
	f.idx = page[len(page)-1].Idx
	return true
}

// fill writes events of the usual kinds past the store, and brings them into the log.
func (s *surgery) fill(b *testing.B, n int) {
	b.Helper()
	columns := []string{"id", "tenant", "stream", "version", "name", "patient", "data", "metadata", "recorded_at"}
	_, err := s.owner.CopyFrom(b.Context(), pgx.Identifier{"events"}, columns, pgx.CopyFromSlice(n, func(i int) ([]any, error) {
		stream, e := usual(i, patient.ID{UUID: uuid.New()})
		name, data, err := s.codec.Encode(e)
		return []any{event.NewID(), stream.Tenant, stream.ID, 1, name, e.(event.Patient).PatientID(), string(data), metadata, s.at}, err
	}))
	if err != nil {
		b.Fatal(err)
	}
	sequencer := eventstore.NewSequencer(s.owner, nil, nil, nil)
	sequencer.Batch = 20_000
	if err := sequencer.Drain(b.Context()); err != nil {
		b.Fatal(err)
	}
	s.exec(b, `VACUUM ANALYZE`)
}

const metadata = `{"actor":{"kind":"application","id":"0190c7a2-0000-7000-8000-00000000000a","mode":"application-restricted"},"requestId":"0190c7a2-0000-7000-8000-00000000000b"}`

// usual is the first event of a stream: it registers a patient, or is about one.
func usual(i int, about patient.ID) (event.Stream, event.Event) {
	switch i % 3 {
	case 0:
		who := patient.ID{UUID: uuid.New()}
		return patient.StreamOf("elm-street", who), patient.Registered{Patient: who, Name: fmt.Sprintf("Patient %d", i), BirthDate: "1980-02-29"}
	case 1:
		id := record.NoteID{UUID: uuid.New()}
		return record.NoteStreamOf("elm-street", id), record.NoteCreated{Note: id, Patient: about, Text: "a cough that will not go away"}
	}
	return event.Stream{Tenant: "elm-street", ID: uuid.New()}, request.Submitted{Patient: about, Type: "medical", Requester: "patient"}
}
