//go:build prove

package main_test

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/feed"
)

var besideTurns = provetest.Pick(2, 9)

const (
	besideTurn    = 3 * time.Second
	besideWriters = 16
)

// TestProveCostOfRelayForAppends compares appends during a relay with appends without
// one, in turns. The three servers and the relay have half of the cores, and no disk in
// common with Postgres, because in production they have machines of their own. It measures
// the cost of the relay's reading for the database. The ratio is reported.
func TestProveCostOfRelayForAppends_D104(t *testing.T) { //nolint:paralleltest // it measures
	cores := shareCores(t)
	var elsewhere []string
	if cores.all != "" {
		elsewhere = []string{"taskset", "-c", cores.attackers + "," + cores.callers}
	}
	l := newLagging(t, newNATS(t, postgrestest.Dir(t), elsewhere...), false)
	if cores.all != "" {
		for _, pid := range []int{os.Getpid(), l.postmaster(), l.service.process.Process.Pid} {
			move(t, strconv.Itoa(pid), cores.service)
		}
		t.Cleanup(func() { move(t, strconv.Itoa(os.Getpid()), cores.all) })
	}
	var without, beside, ratios []float64
	for range besideTurns {
		var rates [2]float64
		for _, relayed := range rand.Perm(2) {
			rates[relayed] = l.turn(relayed == 1, elsewhere)
		}
		without, beside, ratios = append(without, rates[0]), append(beside, rates[1]), append(ratios, rates[1]/rates[0])
	}
	provetest.Tried(t, besideTurns, "turns")
	t.Logf("medians of %d turns: %.0f appends/s without a relay, %.0f with one, ratio %.3f (quartiles %.3f to %.3f); load %s", besideTurns,
		benchtest.Quantile(without, 0.5), benchtest.Quantile(beside, 0.5), benchtest.Quantile(ratios, 0.5),
		benchtest.Quantile(ratios, 0.25), benchtest.Quantile(ratios, 0.75), load())
}

// turn appends for a while during a relay that has caught up before, or without one.
func (l *lagging) turn(relayed bool, on []string) float64 {
	l.t.Helper()
	if relayed {
		line := append(append([]string{}, on...), testworld.Binary(l.t))
		relay := &daemon{t: l.t, args: append(line[1:], l.nats.relays(l.postgres)...)}
		relay.start(line[0])
		defer relay.kill()
		l.caughtUp()
	}
	return l.appendFor(besideTurn)
}

// appendFor appends for a while with many writers, and returns appends a second.
func (l *lagging) appendFor(during time.Duration) float64 {
	l.t.Helper()
	engine := l.engine()
	defer engine.Close()
	var done atomic.Int64
	var writing sync.WaitGroup
	ctx, begun := context.WithoutCancel(l.t.Context()), clock.Start()
	for range besideWriters {
		writing.Go(func() {
			for ; begun.Elapsed() < during; done.Add(1) {
				if _, err := engine.Desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: "elm-street", Name: "Ann Archer"}); err != nil {
					l.t.Error(err)
					return
				}
			}
		})
	}
	writing.Wait()
	return float64(done.Load()) / begun.Elapsed().Seconds()
}

// caughtUp waits until the stream ends where the log does.
func (l *lagging) caughtUp() {
	l.t.Helper()
	head := headOf(l.t, l.postgres.URL("frontdesk", postgres.AuditRole))
	waitFor(l.t, func() bool { return l.nats.lastOf(feed.StreamName(1)) >= uint64(head) })
}
