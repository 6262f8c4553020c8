//go:build prove

package main_test

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"frontdesk/adapters/broker/brokertest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/domain/event"
)

// strike is something that happens to the machine of the primary.
type strike struct {
	name string
	do   func(*patroni, *machine) (mend func())
}

var strikes = []strike{
	{"Postgres is killed", func(p *patroni, m *machine) func() {
		m.kill("postgres")
		return func() {} // Patroni starts it again
	}},
	{"Postgres and Patroni are killed", func(p *patroni, m *machine) func() {
		m.kill("/usr/bin/patroni")
		m.kill("postgres")
		return func() { p.start(m) }
	}},
	{"the machine is lost", func(p *patroni, m *machine) func() {
		m.kill("")
		return func() { p.start(m) }
	}},
	{"the machine hangs", func(_ *patroni, m *machine) func() { return m.freeze() }},
	{"the network is cut", func(_ *patroni, m *machine) func() { return m.cut() }},
}

const hangsOn = 10 * time.Second // after another has taken over

// TestProveThatFailoversByPatroniLoseNothing strikes the primary's machine ten times under
// load, or once at night, and brings it back when another has taken over.
func TestProveThatFailoversByPatroniLoseNothing_D105(t *testing.T) { //nolint:paralleltest // it measures
	p := newPatroni(t)
	s := p.busy()
	loners, follower := p.loners(), s.follower()
	stop := s.work()
	first, failovers := rand.IntN(len(strikes)), provetest.Pick(1, 2*len(strikes))
	for n := range failovers {
		p.strike(s, strikes[(first+n)%len(strikes)])
	}
	time.Sleep(loadBeforeTheKill)
	stop()
	follower.wantAll(s, s.wantAll(failovers))
	p.wantKept(loners)
}

// wantAll fails unless each answered call is there once, was sent once and was relayed, and
// each failover has begun an epoch in which nothing is missing.
func (s *busy) wantAll(failovers int) (log []event.Recorded) {
	s.t.Helper()
	log = s.settled()
	s.wantAnswered(log)
	s.wantSentOnce(log)
	s.want503()
	s.wantRelayed(log)
	wantNothingMissing(s.t, begunIn(log), failovers)
	provetest.Tried(s.t, failovers, "failovers")
	provetest.Tried(s.t, len(s.answered.ids), "requests answered")
	s.t.Logf("%d requests answered, %d calls refused; %d webhooks sent, %d unknown; %d events relayed",
		len(s.answered.ids), len(s.refused), len(s.receiver.times), s.unknown(), len(log))
	return log
}

// busy is a practice that is served by two processes behind HAProxy, and by a third that has
// all machines in its URL.
func (p *patroni) busy() *busy {
	p.t.Helper()
	leader := p.leader()
	for _, statements := range [][]string{
		{postgres.RolesSQL, "CREATE ROLE owner LOGIN PASSWORD '" + secret + "'", "GRANT pg_read_all_stats TO owner", "CREATE DATABASE frontdesk OWNER owner"},
		{"CREATE DATABASE loners"},
	} {
		p.must(leader.psql("postgres", statements...))
	}
	runProgram(p.t, "migrate", "--database-url", p.url("owner"))
	p.must(leader.psql("postgres", "ALTER ROLE frontdesk_app PASSWORD '"+secret+"'"))
	s := newBusy(p.t, p.url)
	s.found()
	s.broker = brokertest.New(p.t)
	for _, url := range []string{p.url("frontdesk_app"), p.url("frontdesk_app"), p.direct("frontdesk_app")} {
		s.serve(url, "synchronous", "--nats", s.broker.URL(), "--nats-replicas=1")
	}
	return s
}

func (p *patroni) must(output string, err error) string {
	p.t.Helper()
	if err != nil {
		p.t.Fatalf("%v: %s", err, output)
	}
	return output
}

// strike strikes, waits until another machine has taken over and calls are answered, and
// repairs the damage.
func (p *patroni) strike(s *busy, strike strike) {
	p.t.Helper()
	time.Sleep(loadBeforeTheKill)
	old := p.leader()
	s.forget()
	struck, watch := clock.System(), clock.Start()
	mend := strike.do(p, old)
	waitFor(p.t, func() bool { return p.leaderBut(old) })
	promoted := watch.Elapsed()
	s.answersAgain()
	silent := s.forget()
	refused := s.lastRefusal(struck)
	time.Sleep(hangsOn)
	mend()
	p.whole()
	s.answersAgain()
	p.t.Logf("%s on %s: %s is the primary after %s; no answer for %s and %s by HAProxy, %s by its URL; the last 503 after %s; whole again after %s; at most %s without an answer meanwhile",
		strike.name, old.name, p.leader().name, rounded(promoted), rounded(silent[0]), rounded(silent[1]), rounded(silent[2]), rounded(refused), rounded(watch.Elapsed()),
		rounded(slices.Max(s.forget())))
}

func rounded(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }

// leaderBut reports whether another machine is the leader.
func (p *patroni) leaderBut(old *machine) bool {
	for _, m := range p.machines {
		if m != old && testworld.Answers("http://"+m.address+":8008/primary") {
			return true
		}
	}
	return false
}

// forget returns the longest time that each process has not answered 200, since the last call
// of it.
func (s *busy) forget() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	silent := slices.Clone(s.silent)
	clear(s.silent)
	return silent
}

// answersAgain waits until each process is ready and answers calls that began after
// now.
func (s *busy) answersAgain() {
	s.t.Helper()
	for n, process := range s.served {
		waitFor(s.t, func() bool { return testworld.Answers(process.private + "/readyz") })
		ready := clock.System()
		waitFor(s.t, func() bool { return s.spokeAfter(n, ready) })
	}
}

func (s *busy) spokeAfter(process int, when time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last[process].After(when)
}

// lastRefusal returns how long after a moment a call was last refused.
func (s *busy) lastRefusal(since time.Time) (last time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.refused {
		last = max(last, r.at.Sub(since))
	}
	return last
}

// want503 fails if a call was answered anything but 200 and 503.
func (s *busy) want503() {
	s.t.Helper()
	for _, r := range s.refused {
		if r.status != http.StatusServiceUnavailable {
			s.t.Errorf("a call was answered %d", r.status)
		}
	}
}
