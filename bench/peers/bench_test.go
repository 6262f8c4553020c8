package peers_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
)

// The same settings for all peers, as far as they can be set.
const (
	connections = 40
	batch       = 1000 // events that a consumer reads at once
	poll        = 10   // milliseconds between a consumer's polls without results
	backlog     = 200_000
)

// note makes an event of a usual size: about 300 bytes, and 150 of metadata.
var note = strings.Repeat("It hurts when I laugh. ", 10)

var ownPID = os.Getpid()

// peer is one of the compared stores.
type peer struct {
	name  string // with its version
	url   string // of its database
	pid   int    // of the process that works for it
	do    func(context.Context, order) (answer, error)
	lacks []string // orders that it cannot carry out
}

// row is something to measure. Catching up comes first, while there is only the backlog.
type row struct {
	name  string
	turns int
	order order
}

func rows() []row {
	rows := []row{
		{"catch up with 200,000 events", 5, order{Do: "catchUp"}},
		{"replay them", 5, order{Do: "replay"}},
		{"lag at rest", 5, order{Do: "lag", Events: 60, Millis: 50, Name: "lag"}},
		{"lag at 200 events a second", 5, order{Do: "lag", Events: 400, Millis: 5, Name: "lag"}},
	}
	writes := func(name, do string, writers ...int) {
		for _, n := range writers {
			name := fmt.Sprintf("%s, %d writers", name, n)
			rows = append(rows, row{strings.Replace(name, " 1 writers", " 1 writer", 1), 7, order{Do: do, Writers: n, Millis: 1000}})
		}
	}
	writes("append", "append", 1, 8, 16, 32)
	writes("append in a category for each writer", "spread", 32)
	writes("append to a known version", "update", 1, 16, 32)
	writes("read, decide, append", "decide", 1, 16, 32)
	return rows
}

// notes describe the use of each peer, and the reasons for missing values.
func notes() []string {
	return []string{
		"Each peer has 40 connections and a database of its own with 200,000 events; an event has 300 bytes and 150 of metadata. Nobody follows while events are appended.",
		fmt.Sprintf("Where it can be set, a consumer reads %d events at once and looks every %d ms; frontdesk needs no setting. Handlers only look at the event.", batch, poll),
		"frontdesk: the sequencer runs in each turn. An event is handled in the transaction that moves its consumer's offset.",
		"watermill-sql: a plain Publish with the library's default schema. It keeps neither streams nor versions, so nothing is appended to a known version; to subscribe is its only way to read.",
		"message-db: its functions, called by one process of Node.js through pg with prepared statements. Appends to one category wait for each other until the first is committed; streams of several categories are followed one category at a time. Its consumer notes its position every hundred messages, as the authors' own client does, and handles events again after a crash.",
		"emmett-postgresql: its event store, command handler and consumer in one process of Node.js. Its consumer stores a checkpoint for each event, and waits up to a second for more, each time twice as long, whatever interval is set.",
		"Only message-db has categories. For the others, the row above counts.",
	}
}

func BenchmarkPeers(b *testing.B) {
	server := cluster(b)
	admin, err := postgres.NewPool(b.Context(), server.URL("postgres", embedded.Superuser), 2)
	must(b, err)
	b.Cleanup(admin.Close)
	data := benchtest.ClusterOf(b, admin)
	database := func(name string) string {
		must(b, server.EnsureDatabase(b.Context(), name))
		return server.URL(name, embedded.Superuser)
	}
	peers := []peer{
		newFrontdesk(b, database("frontdesk")),
		newWatermill(b, database("watermill")),
		newNode(b, "message-db", database("message_store")),
		newNode(b, "emmett-postgresql", database("emmett")),
	}
	for _, p := range peers {
		p.must(b, order{Do: "fill", Events: backlog})
		tidy(b, p.url)
	}
	for _, note := range notes() {
		_, _ = fmt.Fprintln(os.Stdout, "note: "+note)
	}
	for _, r := range rows() {
		r.run(b, data, peers)
	}
}

// cluster is one that flushes, with a database for each peer.
func cluster(b *testing.B) *embedded.Server {
	b.Helper()
	dir := b.TempDir()
	server, err := embedded.Start(b.Context(), embedded.Config{Dir: dir, MaxConnections: 300})
	must(b, err)
	b.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(b.Context()), time.Minute)
		defer cancel()
		must(b, server.Stop(ctx))
		must(b, embedded.Remove(ctx, dir))
	})
	must(b, postgres.CreateRoles(b.Context(), server.URL("postgres", embedded.Superuser)))
	return server
}

// tidy updates the planner's statistics of a database.
func tidy(b *testing.B, url string) {
	b.Helper()
	conn, err := pgx.Connect(b.Context(), url)
	must(b, err)
	for _, statement := range []string{`VACUUM ANALYZE`, `CHECKPOINT`} {
		_, err = conn.Exec(b.Context(), statement)
		must(b, err)
	}
	must(b, conn.Close(b.Context()))
}

func (p peer) must(b *testing.B, o order) answer {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), 10*time.Minute)
	defer cancel()
	a, err := p.do(ctx, o)
	if err != nil {
		b.Fatalf("%s of %s: %v", o.Do, p.name, err)
	}
	return a
}

// run lets all peers take their turns, in another order each time, and reports each as a
// benchmark of its own.
func (r row) run(b *testing.B, data string, peers []peer) {
	b.Helper()
	shown := make([]figures, len(peers))
	for turn := range r.turns {
		for _, n := range rand.Perm(len(peers)) {
			if p := peers[n]; !slices.Contains(p.lacks, r.order.Do) {
				r.turn(b, turn, data, p, &shown[n])
			}
		}
	}
	for n, p := range peers {
		if !slices.Contains(p.lacks, r.order.Do) {
			b.Run(r.name+"/"+p.name, func(b *testing.B) { shown[n].report(b) })
		}
	}
}

// turn is one turn of one peer. A consumer that catches up has a new name each time; one that
// measures a lag has caught up before.
func (r row) turn(b *testing.B, turn int, data string, p peer, shown *figures) {
	b.Helper()
	o := r.order
	switch o.Do {
	case "catchUp":
		o.Name = fmt.Sprintf("newcomer-%d", turn)
	case "lag":
		p.must(b, order{Do: "catchUp", Name: o.Name})
	}
	program, postgres := benchtest.ProcessCPU(p.pid), benchtest.ClusterCPU(data)
	a := p.must(b, o)
	shown.add(a, benchtest.ProcessCPU(p.pid)-program, benchtest.ClusterCPU(data)-postgres)
}

// figures are the results of all turns of a peer.
type figures struct{ perSecond, program, cluster, lags []float64 }

func (f *figures) add(a answer, program, cluster time.Duration) {
	f.perSecond = append(f.perSecond, a.Done/a.Millis*1000)
	f.program = append(f.program, float64(program.Microseconds())/a.Done)
	f.cluster = append(f.cluster, float64(cluster.Microseconds())/a.Done)
	f.lags = append(f.lags, a.Lags...)
}

func (f *figures) report(b *testing.B) {
	b.Helper()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(benchtest.Quantile(f.program, 0.5), "µs-program")
	b.ReportMetric(benchtest.Quantile(f.cluster, 0.5), "µs-cluster")
	if len(f.lags) > 0 {
		b.ReportMetric(benchtest.Quantile(f.lags, 0.5), "p50-ms")
		b.ReportMetric(benchtest.Quantile(f.lags, 0.99), "p99-ms")
		return
	}
	b.ReportMetric(benchtest.Quantile(f.perSecond, 0.5), "events/s")
	b.ReportMetric(benchtest.Quantile(f.perSecond, 0.25), "events/s-low")
	b.ReportMetric(benchtest.Quantile(f.perSecond, 0.75), "events/s-high")
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
