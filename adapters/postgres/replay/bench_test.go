package replay_test

import (
	"flag"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

var events = flag.Int("events", 20_000, "events that BenchmarkRebuild rebuilds from; 200000 for figures to quote")

// BenchmarkRebuild is a rebuild of every read model beside the same rows
// written by pgx.Batch alone, and beside reading and decoding the events.
// x-batch-alone is the ratio of the speeds; the goal is 0.6. A run of it is
// one whole rebuild, so it wants -benchtime 1x.
func BenchmarkRebuild(b *testing.B) {
	s := newSurgery(b)
	s.lots(b, *events)
	s.follow(b)
	head, err := s.log().Head(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	alone, read := s.writeAlone(b), s.readAlone(b)
	b.ResetTimer()
	for b.Loop() {
		rebuild, begun := s.rebuild(), time.Now()
		var built time.Duration
		var heap uint64
		rebuild.Log.Page, rebuild.Fresh = 0, true
		rebuild.Progress = func(int64, int64) {
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			built, heap = time.Since(begun), max(heap, memory.HeapInuse)
		}
		result, err := rebuild.Run(b.Context())
		if err != nil || len(result.Differences) > 0 {
			b.Fatalf("%+v, %v", result.Differences, err)
		}
		b.ReportMetric(float64(head)/built.Seconds(), "events/s")
		b.ReportMetric(alone.Seconds()/built.Seconds(), "x-batch-alone")
		b.ReportMetric(float64(head)/read.Seconds(), "events-read/s")
		b.ReportMetric((time.Since(begun) - built).Seconds(), "s-to-compare")
		b.ReportMetric(float64(heap)/(1<<20), "MiB-heap")
	}
}

// lots appends events of the usual kinds, a thousand an append.
func (s *surgery) lots(b *testing.B, n int) {
	b.Helper()
	for from := 0; from < n; from += 1000 {
		var changes []event.Change
		for i := range 1000 {
			changes = append(changes, change(i))
		}
		s.at = s.at.Add(time.Second)
		if _, err := s.store.Append(b.Context(), changes...); err != nil {
			b.Fatal(err)
		}
	}
}

func change(i int) event.Change {
	who := patient.ID{UUID: uuid.New()}
	switch i % 3 {
	case 0:
		return event.Change{Stream: patient.StreamOf("elm-street", who), Events: []event.Event{
			patient.Registered{Patient: who, Name: fmt.Sprintf("Patient %d", i), BirthDate: "1980-02-29"}}}
	case 1:
		id := record.NoteID{UUID: uuid.New()}
		return event.Change{Stream: record.NoteStreamOf("elm-street", id), Events: []event.Event{record.NoteCreated{Note: id, Patient: who, Text: "a cough that will not go away"}}}
	}
	return event.Change{Stream: event.Stream{Tenant: "elm-street", ID: uuid.New()}, Events: []event.Event{
		request.Submitted{Patient: who, Type: "medical", Requester: "patient"}}}
}

// writeAlone is how long the rows take that a rebuild writes, out of
// statements that are there already.
func (s *surgery) writeAlone(b *testing.B) time.Duration {
	b.Helper()
	var batches []*pgx.Batch
	all, n := s.rebuild().Projections, 0
	for e, err := range s.log().After(b.Context(), 0) {
		if err != nil {
			b.Fatal(err)
		}
		if n%1000 == 0 {
			batches = append(batches, &pgx.Batch{})
		}
		n++
		for _, p := range all {
			p.Project(e, func(sql string, args ...any) { batches[len(batches)-1].Queue(sql, args...) })
		}
	}
	conn, err := s.owner.Acquire(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Release()
	exec := func(sql string) {
		if _, err := conn.Exec(b.Context(), sql); err != nil {
			b.Fatal(err)
		}
	}
	exec(`CREATE SCHEMA alone`)
	for _, p := range all {
		for _, table := range projections.TablesOf(p) {
			exec(`CREATE TABLE alone.` + table.Name + ` (LIKE public.` + table.Name + ` INCLUDING ALL)`)
		}
	}
	exec(`SET search_path = alone`)
	begun := time.Now()
	for _, batch := range batches {
		if err := conn.SendBatch(b.Context(), batch).Close(); err != nil {
			b.Fatal(err)
		}
	}
	took := time.Since(begun)
	exec(`SET search_path = public`)
	exec(`DROP SCHEMA alone CASCADE`)
	return took
}

func (s *surgery) readAlone(b *testing.B) time.Duration {
	b.Helper()
	begun := time.Now()
	for _, err := range s.log().After(b.Context(), 0) {
		if err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(begun)
}
