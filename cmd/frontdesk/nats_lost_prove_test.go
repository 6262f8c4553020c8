//go:build prove

package main_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/feed"
)

// outrun is a service on a pair of clusters, with a separate relay. It loses an end of the log
// that the broker has.
type outrun struct {
	*surgery
	nats     *natsCluster
	follower *follower
}

func newOutrun(t *testing.T) *outrun {
	t.Helper()
	return &outrun{surgery: newSurgery(t, newPair(t, false), "asynchronous", 1), nats: newNATS(t, t.TempDir())}
}

// relay is the command line of a relay that reads from the one of the two that takes writes.
func (o *outrun) relay() []string {
	return append([]string{"relay", "--database-url", o.url(postgres.AuditRole)}, o.nats.flags()...)
}

// register appends that many events, and returns the head of the log with them.
func (o *outrun) register(patients int) (head int64) {
	o.t.Helper()
	engine := o.engine()
	defer engine.Close()
	for range patients {
		_, err := engine.Desk.RegisterPatient(o.t.Context(), commands.RegisterPatient{Tenant: surgeryTenant, Name: "Ann Archer"})
		o.must(err)
	}
	o.must(engine.Drain(o.t.Context()))
	return headOf(o.t, o.url(postgres.AuditRole))
}

// relayed waits until an epoch's stream has an idx.
func (o *outrun) relayed(epoch int, idx int64) {
	o.t.Helper()
	waitFor(o.t, func() bool { return o.nats.lastOf(feed.StreamName(epoch)) >= uint64(idx) })
}

// wantGoneOn fails unless the log has continued in its second epoch after an idx, in a stream
// of its own. A follower that had read to an idx beyond must learn from where on that never
// happened.
func (o *outrun) wantGoneOn(lastKnown, beyond int64) {
	o.t.Helper()
	head := o.register(20)
	o.relayed(2, head)
	o.nats.wantStream(2, lastKnown+1, storedIn(o.t, o.url(postgres.AuditRole)))
	epochs, err := o.nats.epochs(o.t.Context())
	o.must(err)
	if want := (feed.Epochs{{Epoch: 1, First: 1}, {Epoch: 2, First: lastKnown + 1}}); fmt.Sprint(epochs) != fmt.Sprint(want) {
		o.t.Errorf("the epochs are %v, want %v", epochs, want)
	}
	o.wantLost(lastKnown, beyond)
	fresh := o.nats.follow()
	fresh.wantRead(o.t, storedIn(o.t, o.url(postgres.AuditRole)))
}

// wantLost fails unless the follower that read to an idx beyond is stopped, and learns from
// where on that never happened.
func (o *outrun) wantLost(lastKnown, beyond int64) {
	o.t.Helper()
	waitFor(o.t, func() bool { return o.follower.over() })
	told, is := errors.AsType[*feed.LostError](o.follower.err)
	if !is || told.At != (feed.Place{Epoch: 1, Idx: beyond}) || told.From != lastKnown+1 || told.Now != (feed.Epoch{Epoch: 2, First: lastKnown + 1}) {
		o.t.Errorf("a follower at idx %d gets %v, want the first lost idx %d", beyond, o.follower.err, lastKnown+1)
	}
}

// epochs reads which epochs there are, as a follower does.
func (c *natsCluster) epochs(ctx context.Context) (epochs feed.Epochs, err error) {
	stream, err := c.stream.Stream(ctx, feed.EpochsStream)
	if err != nil {
		return nil, err
	}
	message, err := stream.GetLastMsgForSubject(ctx, feed.EpochsSubject)
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(message.Data, &epochs)
	return epochs, err
}

// TestProveThatARestoreStopsTheRelayUntilAnEpochBegins restores old files of Postgres, which
// nothing in the database shows. The relay stops with the reason, even if the log has
// outgrown the broker's stream, and writes nothing behind that. Once an operator has begun an
// epoch it continues in another stream, and followers can see which events never happened.
func TestProveThatARestoreStopsTheRelay_D104(t *testing.T) { //nolint:paralleltest // it takes the machine
	o := newOutrun(t)
	lastKnown := o.register(50)
	snapshot := o.copyFiles()
	relay := &daemon{t: t, args: o.relay()}
	relay.start(testworld.Binary(t))
	o.follower = o.nats.follow()
	beyond := o.register(50)
	waitFor(t, func() bool { return o.follower.idx() == beyond })
	o.putBack(snapshot)
	o.register(80)
	o.wantStopped()
	relay.kill()
	if last := o.nats.lastOf(feed.StreamName(1)); last != uint64(beyond) {
		t.Errorf("behind the lost history, at idx %d, the broker was given more, up to idx %d", beyond, last)
	}
	o.putBack(snapshot)
	o.wantStopped()
	runProgram(t, "audit", "begin-epoch", "--reason", "the disk was put back", "--database-url", o.url("owner"))
	relay.start(testworld.Binary(t))
	t.Cleanup(relay.kill)
	o.wantGoneOn(lastKnown, beyond)
	provetest.Tried(t, 2, "restores")
	provetest.Tried(t, int(beyond-lastKnown), "events that never happened")
}

// TestProveThatTheRelayGoesOnAfterALostEnd promotes a standby that lacks events that the
// broker has. A serving process begins an epoch, and the relay continues in its stream
// automatically.
func TestProveThatTheRelayGoesOnAfterALostEnd_D104(t *testing.T) { //nolint:paralleltest // it takes the machine
	o := newOutrun(t)
	relay := &daemon{t: t, args: o.relay()}
	relay.start(testworld.Binary(t))
	t.Cleanup(relay.kill)
	lastKnown := o.register(50)
	o.relayed(1, lastKnown)
	o.waitFor(o.primary, `SELECT bool_and(replay_lsn = pg_current_wal_lsn()) FROM pg_stat_replication`)
	o.holdBack()
	o.follower = o.nats.follow()
	beyond := o.register(50)
	waitFor(t, func() bool { return o.follower.idx() == beyond })
	o.killPrimary()
	o.promote()
	o.waitFor(o.primary, `SELECT epoch = 2 FROM sequencer`)
	o.wantGoneOn(lastKnown, beyond)
	provetest.Tried(t, 1, "failovers")
	provetest.Tried(t, int(beyond-lastKnown), "events that never happened")
	t.Logf("the relay said: %s", relay.said.String())
}

// wantStopped fails unless a relay stops on its own, and reports the fix.
func (o *outrun) wantStopped() {
	o.t.Helper()
	if said, exit := o.stops(); exit <= 0 || !strings.Contains(said, "frontdesk audit begin-epoch") {
		o.t.Errorf("the relay exits with %d and logs: %s", exit, said)
	}
}

// stops runs a relay that must stop on its own, and returns its output and exit status.
func (o *outrun) stops() (said string, exit int) {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(o.t.Context(), 3*time.Minute)
	defer cancel()
	relay := exec.CommandContext(ctx, testworld.Binary(o.t), o.relay()...)
	output, err := relay.CombinedOutput()
	if err == nil || ctx.Err() != nil {
		o.t.Fatalf("the relay does not stop: %v: %s", err, output)
	}
	return string(output), relay.ProcessState.ExitCode()
}

// copyFiles copies the primary's files while it is stopped, and returns where they are.
func (o *outrun) copyFiles() (snapshot string) {
	o.t.Helper()
	snapshot = o.newData()
	o.do("pg_ctl", "stop", "--mode=fast", "--pgdata", o.data[o.primary])
	o.copy(o.data[o.primary], snapshot)
	o.start(o.primary)
	return snapshot
}

// putBack restarts the primary on files that were copied.
func (o *outrun) putBack(snapshot string) {
	o.t.Helper()
	o.do("pg_ctl", "stop", "--mode=immediate", "--pgdata", o.data[o.primary])
	o.data[o.primary] = o.newData()
	o.copy(snapshot, o.data[o.primary])
	o.start(o.primary)
}

func (o *outrun) copy(from, to string) {
	o.t.Helper()
	if said, err := exec.CommandContext(o.t.Context(), "cp", "--archive", from, to).CombinedOutput(); err != nil {
		o.t.Fatalf("copy: %v: %s", err, said)
	}
}
