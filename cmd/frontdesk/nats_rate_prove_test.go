//go:build prove

package main_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/feed"
)

const (
	natsCLI      = "github.com/nats-io/natscli/nats@v0.5.1"
	benchStream  = "bench"
	benchSubject = "frontdesk.bench"
	ofRecord     = 30 // bytes that a server stores with each message, besides its subject, headers and body
	looksAtRate  = 200 * time.Millisecond
	rateLimit    = 15 * time.Minute
)

var (
	rateTurns = provetest.Pick(1, 3)
	benchTurn = provetest.Pick(50_000, 300_000) // messages that nats bench publishes
)

// millionRelayed is a log of a million events, or in a night of a tenth.
var millionRelayed = postgrestest.Grown{
	Practices: 1000, Staff: 10_000, Patients: 100_000, Events: provetest.Pick(100_000, 1_000_000), Entries: 1000, Calls: 1000, Deliveries: 1000, Uploads: 100,
}

// TestProveHowFastAMillionEventsAreRelayed relays a log of a million events to three servers,
// and in turns has nats bench publish messages of the same mean size to them, asynchronously.
// Both rates are reported, and their ratio; the stream must be the log each time.
func TestProveHowFastAMillionEventsAreRelayed_D104(t *testing.T) { //nolint:paralleltest // it measures
	server := postgrestest.Cluster(t)
	postgrestest.Grow(t, server.URL("frontdesk", embedded.Superuser), millionRelayed)
	c, cli := newNATS(t, t.TempDir()), buildNATSCLI(t)
	var relayed, published, ratios []float64
	for turn := range rateTurns {
		rate, size := c.relayAll(server, turn == 0)
		floor := c.bench(cli, size)
		t.Logf("turn %d: %.0f events/s relayed, %.0f messages/s by nats bench, of %d bytes on disk each, ratio %.2f; load %s", turn+1, rate, floor, size, rate/floor, load())
		relayed, published, ratios = append(relayed, rate), append(published, floor), append(ratios, rate/floor)
	}
	provetest.Tried(t, rateTurns*millionRelayed.Events, "events relayed")
	t.Logf("medians: %.0f events/s relayed, %.0f messages/s by nats bench, ratio %.2f",
		benchtest.Quantile(relayed, 0.5), benchtest.Quantile(published, 0.5), benchtest.Quantile(ratios, 0.5))
}

// relayAll relays a whole log to a new stream, compares the two on request, and removes the
// stream. It returns events a second, and the mean size of a message on disk.
func (c *natsCluster) relayAll(server *embedded.Server, compare bool) (perSecond float64, size int) {
	c.t.Helper()
	url, stream := server.URL("frontdesk", postgres.AuditRole), feed.StreamName(1)
	d := &daemon{t: c.t, args: c.relays(server)}
	d.start(testworld.Binary(c.t))
	defer d.kill()
	waitFor(c.t, func() bool { return c.lastOf(stream) > 0 })
	first, begun, head := c.lastOf(stream), clock.Start(), uint64(headOf(c.t, url))
	for c.lastOf(stream) < head {
		if time.Sleep(looksAtRate); begun.Elapsed() > rateLimit {
			c.t.Fatalf("idx %d after %s; the relay logs: %s", c.lastOf(stream), rateLimit, d.said.String())
		}
	}
	took := begun.Elapsed()
	d.kill()
	info, err := c.info(stream)
	if err != nil {
		c.t.Fatal(err)
	}
	if compare {
		c.wantStream(1, 1, storedIn(c.t, url))
	}
	if err := c.stream.DeleteStream(c.t.Context(), stream); err != nil {
		c.t.Fatal(err)
	}
	return float64(info.State.LastSeq-first) / took.Seconds(), int(info.State.Bytes / info.State.Msgs)
}

// lastOf is the last sequence of a stream, 0 if it is not there.
func (c *natsCluster) lastOf(stream string) uint64 {
	info, err := c.info(stream)
	if err != nil {
		return 0
	}
	return info.State.LastSeq
}

var benchRate = regexp.MustCompile(`publisher stats: ([0-9,]+) msgs/sec`)

// bench makes nats bench publish messages of the same size on disk to a stream of its own,
// and returns messages a second.
func (c *natsCluster) bench(cli string, size int) float64 {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 10*time.Minute)
	defer cancel()
	said, err := exec.CommandContext(ctx, cli, "--server", c.url("administrator"), "--tlsca", c.users.certificate, "bench", "js", "pub", "async", benchSubject, "--stream", benchStream,
		"--create", "--replicas", "3", "--storage", "file", "--msgs", strconv.Itoa(benchTurn), "--size", strconv.Itoa(size-len(benchSubject)-ofRecord), "--no-progress").CombinedOutput()
	match := benchRate.FindSubmatch(said)
	if err != nil || match == nil {
		c.t.Fatalf("nats bench: %v: %s", err, said)
	}
	if err := c.stream.DeleteStream(ctx, benchStream); err != nil {
		c.t.Fatal(err)
	}
	rate, err := strconv.ParseFloat(strings.ReplaceAll(string(match[1]), ",", ""), 64)
	if err != nil {
		c.t.Fatal(err)
	}
	return rate
}

// buildNATSCLI builds the client that the servers' authors measure with.
func buildNATSCLI(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	install := exec.CommandContext(t.Context(), "go", "install", natsCLI)
	install.Env = append(os.Environ(), "GOBIN="+dir)
	if said, err := install.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v: %s", natsCLI, err, said)
	}
	return filepath.Join(dir, "nats")
}

// load is how busy the machine was in the last minute, as processes that wanted to run.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	one, _, _ := strings.Cut(string(text), " ")
	return fmt.Sprintf("%s on %d cores", one, runtime.NumCPU())
}
