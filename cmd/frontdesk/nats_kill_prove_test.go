//go:build prove

package main_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/feed"
)

var (
	relayedEvents = provetest.Pick[int64](3000, 30_000)
	relayedRounds = provetest.Pick(1, 4)
)

const (
	relayCallers = 6  // of the service
	relayWriters = 12 // that append through an engine of this process
)

// TestProveStreamEqualsLogAfterKills kills the stream's leader, a process of the service, both relays
// and Postgres in turn. It also freezes a leader for a while and stops two servers. Meanwhile
// patients are registered and requests are sent. In the end the stream equals the log, event by
// event, on each of the three servers, and a follower has read it once.
func TestProveStreamEqualsLogAfterKills_D104(t *testing.T) { //nolint:paralleltest // it takes the machine
	r := newRelayed(t)
	log := feed.StreamName(1)
	follower := r.nats.follow()
	stop := r.work()
	rounds := 0
	for ; rounds < relayedRounds || r.idx() < relayedEvents; rounds++ {
		for name, trouble := range r.troubles() {
			begun := clock.Start()
			trouble()
			provetest.Tried(t, 1, "troubles")
			lasted, at := begun.Elapsed(), r.idx()
			waitFor(t, func() bool { info, err := r.nats.info(log); return err == nil && info.State.LastSeq > uint64(at) })
			t.Logf("round %d: %s, for %s; %s later the stream has all of the log, idx %d",
				rounds+1, name, lasted.Round(time.Millisecond), (begun.Elapsed() - lasted).Round(time.Millisecond), at)
		}
	}
	stop()
	events := r.settled()
	for n := range r.nats.servers {
		r.nats.whole(log)
		r.nats.lead(n, log)
		r.nats.wantStream(1, 1, events)
	}
	follower.wantRead(t, events)
	r.wantAnswered(events)
	provetest.Tried(t, len(events), "events")
	t.Logf("%d rounds, %d events, each at the sequence of its idx on each of the servers; %d appends were acknowledged, %d calls answered",
		rounds, len(events), len(r.appended.ids), r.answered.count())
}

// relayed is a service with its log on NATS: two processes that serve and relay, and two that
// only relay.
type relayed struct {
	*proved
	nats     *natsCluster
	relays   []*daemon
	appended answers
}

func newRelayed(t *testing.T) *relayed {
	t.Helper()
	dir := t.TempDir()
	r := &relayed{nats: newNATS(t, dir)}
	r.proved = &proved{trial: &trial{t: t, data: filepath.Join(dir, "postgres"), client: &http.Client{Timeout: time.Minute}}, program: testworld.Binary(t)}
	r.startPostgres(dir)
	r.onboard()
	args := append(serveArgs(t, r.postgres.URL("frontdesk", postgres.AppRole)), r.nats.flags()...)
	for range 2 {
		s := &replica{t: t, place: freePlace(t), args: args}
		t.Cleanup(func() { s.stop() })
		s.start(r.program)
		r.replicas = append(r.replicas, s)
	}
	for range 2 {
		d := &daemon{t: t, args: r.nats.relays(r.postgres)}
		d.start(r.program)
		t.Cleanup(d.kill)
		r.relays = append(r.relays, d)
	}
	return r
}

// troubles are the faults that hit the service, one after the other. Two servers of three
// hold the stream, so while one is away the log continues, and while two are, it waits.
func (r *relayed) troubles() map[string]func() {
	leader := func() int { return r.nats.leader(feed.StreamName(1)) }
	process := r.replicas[rand.IntN(len(r.replicas))]
	return map[string]func(){
		"the leader is killed": func() {
			n := leader()
			r.nats.kill(n)
			r.pause()
			r.nats.start(n)
		},
		"the leader is frozen": func() {
			n := leader()
			r.nats.signal(n, syscall.SIGSTOP)
			r.pause()
			r.nats.signal(n, syscall.SIGCONT)
		},
		"two servers are killed": func() {
			n := leader()
			for _, n := range []int{n, (n + 1) % 3} {
				r.nats.kill(n)
			}
			r.pause()
			for _, n := range []int{n, (n + 1) % 3} {
				r.nats.start(n)
			}
		},
		"both relays are killed": func() {
			for _, d := range r.relays {
				d.kill()
				d.start(r.program)
			}
		},
		"a process that serves is killed": func() { process.kill(); process.start(r.program) },
		"Postgres is killed": func() {
			r.signal(syscall.SIGKILL, r.halted()...)
			<-r.postgres.Done()
			r.must(r.postgres.Restart(r.t.Context()))
		},
	}
}

// pause is as long as others need to notice, more or less.
func (r *relayed) pause() { time.Sleep(time.Duration(500+rand.IntN(8000)) * time.Millisecond) }

// work appends, by calls and by an engine of this process, until stop is called.
func (r *relayed) work() (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.t.Context()))
	engine := r.engine()
	var working sync.WaitGroup
	for n := range relayCallers {
		working.Go(func() { r.callUntil(ctx, n) })
	}
	for range relayWriters {
		working.Go(func() { r.registerUntil(ctx, engine) })
	}
	stop = sync.OnceFunc(func() { cancel(); working.Wait(); engine.Close() })
	r.t.Cleanup(stop)
	return stop
}

// registerUntil registers patients until ctx ends. The last registration completes.
func (r *relayed) registerUntil(ctx context.Context, engine *app.Engine) {
	for ctx.Err() == nil {
		made, err := engine.Desk.RegisterPatient(context.WithoutCancel(ctx), commands.RegisterPatient{Tenant: "elm-street", Name: "Ann Archer"})
		if err == nil {
			r.appended.add(patient.StreamOf("elm-street", made).ID)
		}
		pauseFor(ctx, 10*time.Millisecond)
	}
}

// idx is the head of the log.
func (r *relayed) idx() int64 {
	r.t.Helper()
	return headOf(r.t, r.postgres.URL("frontdesk", postgres.AuditRole))
}

// settled waits until everything that is stored is in the log and in its stream, and returns
// the log.
func (r *relayed) settled() []event.Stored {
	r.t.Helper()
	engine := r.engine()
	defer engine.Close()
	r.must(engine.Drain(r.t.Context()))
	r.caughtUp()
	return storedIn(r.t, r.postgres.URL("frontdesk", postgres.AuditRole))
}

// caughtUp waits until the stream ends where the log does.
func (r *relayed) caughtUp() {
	r.t.Helper()
	waitFor(r.t, func() bool {
		info, err := r.nats.info(feed.StreamName(1))
		return err == nil && info.State.LastSeq == uint64(r.idx())
	})
}

// wantAnswered fails unless everything that was acknowledged is in the log once.
func (r *relayed) wantAnswered(log []event.Stored) {
	r.t.Helper()
	logged := map[uuid.UUID]int{}
	for _, e := range log {
		logged[e.Stream.ID]++
	}
	for _, id := range append(r.appended.ids, r.answered.ids...) {
		if logged[id] != 1 {
			r.t.Errorf("%s was acknowledged and is %d times in the log", id, logged[id])
		}
	}
}
