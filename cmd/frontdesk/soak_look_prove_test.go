//go:build prove

package main_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/clock"
)

const lookEvery = 10 * time.Second

// footprint is how much disk was used at one time.
type footprint struct {
	at     time.Time
	tables map[string]int64
	wal    int64
	log    map[string]int // bytes, by message
}

// watch makes observations until the context ends.
func (s *soak) watch(ctx context.Context) {
	for began := clock.Start(); ctx.Err() == nil; pauseFor(ctx, lookEvery) {
		s.seen = append(s.seen, s.footprint())
		s.lookAtProcesses()
		s.lookAtDatabase()
		s.t.Logf("%s %s", began.Elapsed().Round(time.Second), s.newest())
	}
}

func (s *soak) footprint() footprint {
	f := footprint{at: clock.System(), tables: s.tables(), log: map[string]int{}}
	s.must(s.admin.QueryRow(s.t.Context(), `SELECT pg_current_wal_lsn() - '0/0'`).Scan(&f.wal))
	for _, process := range s.served {
		process.counts.mu.Lock()
		for msg, bytes := range process.counts.bytes {
			f.log[msg] += bytes
		}
		process.counts.mu.Unlock()
	}
	return f
}

// note adds an observation of a value that must not grow.
func (s *soak) note(name string, value float64, of gauge) {
	of.values = s.gauges[name].values
	of.values = append(of.values, value)
	s.gauges[name] = of
}

// The size of a remembered key in a process, in MB: 300,000 take 40, and Go lets the heap
// grow to five times its live size. Keys are remembered for an hour, so their number grows
// for an hour, by design; everything else is to be flat from the beginning.
const keyTakes = 5 * 40.0 / 300_000

// The limits of a day: the most that Go holds, and with stacks and code; the most connections
// of two processes, with Postgres's memory for each.
var (
	ofHeap        = gauge{play: 2, most: 403}
	ofMemory      = gauge{play: 2, most: 440}
	ofGoroutines  = gauge{play: 20, most: 2000}
	ofFiles       = gauge{play: 10, most: 1000}
	ofConnections = gauge{play: 2, most: 64}
	ofPostgres    = gauge{play: 10, most: 64 * 16}
	ofEvents      = gauge{play: 200, most: 5000}
	ofSeconds     = gauge{play: 5, most: 120}
	ofVisits      = gauge{play: 10, most: visitsAtOnce}
)

func (s *soak) lookAtProcesses() {
	for n, process := range s.served {
		found, err := metricsAt(s.t.Context(), process.private)
		s.must(err)
		of := func(what string) string { return fmt.Sprintf("%s of process %d", what, n) }
		keys := found["frontdesk_keys_in_memory"]
		s.t.Logf("process %d has %.0f MB and remembers %.0f keys", n, found["process_resident_memory_bytes"]/1e6, keys)
		s.note(of("resident MB without keys"), found["process_resident_memory_bytes"]/1e6-keys*keyTakes, ofMemory)
		s.note(of("MB at which Go collects, without keys,"), found["go_memstats_next_gc_bytes"]/1e6-keys*keyTakes, ofHeap)
		s.note(of("goroutines"), found["go_goroutines"], ofGoroutines)
		s.note(of("open files"), found["process_open_fds"], ofFiles)
	}
}

const ofDatabase = `
SELECT (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()),
	(SELECT head FROM sequencer) - (SELECT min(idx) FROM feed_offsets),
	(SELECT coalesce(extract(epoch FROM now() - min(happened_at)), 0) FROM deliveries WHERE status = 'pending')`

func (s *soak) lookAtDatabase() {
	var connections, lag, age float64
	s.must(s.admin.QueryRow(s.t.Context(), ofDatabase).Scan(&connections, &lag, &age))
	s.note("connections", connections, ofConnections)
	s.note("events that some consumer has not handled", lag, ofEvents)
	s.note("age of the oldest webhook, s", age, ofSeconds)
	s.note("private MB of Postgres's processes", clusterMemory(s.data), ofPostgres)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note("visits under way", float64(s.coming), ofVisits)
}

// newest is the last observation.
func (s *soak) newest() string {
	text := []string{s.newestCalls()}
	for _, name := range s.names() {
		values := s.gauges[name].values
		text = append(text, fmt.Sprintf("%s: %.4g", name, values[len(values)-1]))
	}
	return strings.Join(text, ", ")
}

// newestCalls is how long calls took since it was asked last.
func (s *soak) newestCalls() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	newest := slices.Clone(s.took[s.shown:])
	s.shown = len(s.took)
	if len(newest) == 0 {
		return "no call"
	}
	return fmt.Sprintf("%d calls, %s at the median, %s at the 99th percentile", len(newest), spent(newest, 0.5), spent(newest, 0.99))
}

// clusterMemory is how many MB the processes of a Postgres have that they share with no other.
func clusterMemory(data string) (mb float64) {
	for _, process := range benchtest.ClusterProcesses(data) {
		status, _ := os.ReadFile(filepath.Join(process, "status")) // it may have ended
		mb += float64(kilobytes(string(status), "RssAnon:")) / 1e3
	}
	return mb
}
