//go:build prove

package main_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/provetest"
)

// The capacity of a cell is measured on one machine that runs everything: clients, program,
// Postgres and the receiver of webhooks. The CPU for each visit is a basis for estimates of
// other machines; docs/operate/scale.md has them.
var (
	measuredVisits = provetest.Pick(600, 6000)
	restVisits     = provetest.Pick(50, 300) // one after the other
)

const (
	warmVisits     = 200
	visitClients   = 32
	patientsOfEach = 50 // practice
)

// TestProveCapacityOfACell simulates visits of patients: each sends a request, is booked in,
// called in, seen and written about. It prints the use of all resources.
func TestProveCapacityOfACell(t *testing.T) { //nolint:paralleltest // it measures
	c := newCellInside(t)
	c.come(warmVisits, visitClients)
	c.settle()
	before := c.look()
	began := clock.Start()
	took := c.come(measuredVisits, visitClients)
	calling := began.Elapsed()
	c.settle()
	after := c.look()
	quiet := c.come(restVisits, 1)

	visits := float64(measuredVisits)
	rows := []string{"| a visit takes | |", "|---|---|"}
	row := func(what, format string, values ...any) {
		rows = append(rows, fmt.Sprintf("| %s | "+format+" |", append([]any{what}, values...)...))
	}
	row("calls, each with a token of its own", "%d", len(steps))
	row("events", "%.1f", float64(after.events-before.events)/visits)
	row("webhooks", "%.1f", float64(after.webhooks-before.webhooks)/visits)
	row("calls a second, with clients that mint each token on the same cores", "%.0f", visits*float64(len(steps))/calling.Seconds())
	row("one call, at the median and the 99th percentile, under that load", "%s, %s", spent(took, 0.5), spent(took, 0.99))
	row("one call of one client alone", "%s, %s", spent(quiet, 0.5), spent(quiet, 0.99))
	row("CPU of Postgres, ms", "%.2f", float64((after.cluster-before.cluster).Microseconds())/1000/visits)
	row("CPU of the program with its clients and the receiver, ms", "%.2f", float64((after.program-before.program).Microseconds())/1000/visits)
	row("of which the clients sign tokens, ms", "%.2f", float64(len(steps))*c.minting())
	row("WAL, kB", "%.1f", float64(after.wal-before.wal)/1000/visits)
	for _, table := range after.largest(before) {
		row("`"+table+"`, with its indexes, kB", "%.2f", float64(after.tables[table]-before.tables[table])/1000/visits)
	}
	provetest.Tried(t, measuredVisits, "visits")
	t.Log("\n" + strings.Join(rows, "\n"))
}

func spent(of []float64, part float64) time.Duration {
	return time.Duration(benchtest.Quantile(of, part) * float64(time.Second)).Round(100 * time.Microsecond)
}

// come runs visits, that many at once, and returns how many seconds each call took.
func (c *cell) come(visits, clients int) (took []float64) {
	c.t.Helper()
	var mu sync.Mutex
	var group sync.WaitGroup
	left := make(chan int, visits)
	for n := range visits {
		left <- n
	}
	close(left)
	for range clients {
		group.Go(func() {
			for n := range left {
				each, err := c.visit(context.WithoutCancel(c.t.Context()), n)
				if err != nil {
					c.t.Errorf("visit %d: %v", n, err)
					return
				}
				mu.Lock()
				took = append(took, each...)
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if len(took) != visits*len(steps) {
		c.t.Fatalf("%d calls were answered", len(took))
	}
	return took
}

// minting is how many milliseconds of CPU a token takes its client.
func (c *cell) minting() float64 {
	const tokens = 500
	before := benchtest.CPU("")
	for range tokens {
		c.integrators[0].Token(clock.System())
	}
	return float64((benchtest.CPU("") - before).Microseconds()) / 1000 / tokens
}

// sight is how much there is of everything.
type sight struct {
	events, webhooks, wal int64
	program, cluster      time.Duration
	tables                map[string]int64
}

const sizes = `
SELECT coalesce(parent.relname, c.relname), sum(pg_total_relation_size(c.oid))::bigint
FROM pg_class c LEFT JOIN pg_inherits ON inhrelid = c.oid LEFT JOIN pg_class parent ON parent.oid = inhparent
WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace GROUP BY 1`

func (c *cell) look() (s sight) {
	c.t.Helper()
	ctx := c.t.Context()
	c.must(c.admin.QueryRow(ctx, `SELECT (SELECT head FROM sequencer), (SELECT count(*) FROM deliveries), pg_current_wal_lsn() - '0/0'`).
		Scan(&s.events, &s.webhooks, &s.wal))
	s.program, s.cluster = benchtest.CPU(""), benchtest.ClusterCPU(c.data)
	s.tables = c.tables()
	return s
}

// tables are their sizes in bytes, with indexes. Partitions count as their table.
func (c *cell) tables() map[string]int64 {
	c.t.Helper()
	rows, err := c.admin.Query(c.t.Context(), sizes)
	c.must(err)
	defer rows.Close()
	found := map[string]int64{}
	for rows.Next() {
		var name string
		var bytes int64
		c.must(rows.Scan(&name, &bytes))
		found[name] = bytes
	}
	c.must(rows.Err())
	return found
}

// largest are the tables that have grown by more than 20 bytes a visit.
func (s sight) largest(before sight) (names []string) {
	for name, bytes := range s.tables {
		if bytes-before.tables[name] > int64(20*measuredVisits) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return int(s.tables[b] - before.tables[b] - s.tables[a] + before.tables[a])
	})
	return names
}
