//go:build prove

package main_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/provetest"
)

const (
	etcdIsAway    = 40 * time.Second // twice as long as a primary may be silent
	standbyIsAway = 20 * time.Second
)

// TestProveThatCareForPatroniLosesNothing moves the primary with the document's command,
// under load. It also stops services that Patroni can miss for a while: all of them, or at
// night one.
func TestProveThatCareForPatroniLosesNothing_D105(t *testing.T) { //nolint:paralleltest // it measures
	p := newPatroni(t)
	s := p.busy()
	stop := s.work()
	p.care(s, "the primary is moved", (*patroni).switchover)
	taken := []struct {
		name string
		do   func(*patroni) (mend func())
	}{
		{"a standby is lost", func(p *patroni) func() {
			m := p.standby()
			m.kill("")
			return func() { time.Sleep(standbyIsAway); p.start(m) }
		}},
		{"a standby hangs", func(p *patroni) func() {
			thaw := p.standby().freeze()
			return func() { time.Sleep(standbyIsAway); thaw() }
		}},
		{"etcd is away", (*patroni).withoutEtcd},
	}
	first, times := rand.IntN(len(taken)), provetest.Pick(1, len(taken))
	for n := range times {
		away := taken[(first+n)%len(taken)]
		p.care(s, away.name, away.do)
	}
	stop()
	s.wantAll(1)
	provetest.Tried(t, times, "parts taken away")
}

// care performs an action, undoes it and waits for recovery.
func (p *patroni) care(s *busy, name string, do func(*patroni) (mend func())) {
	p.t.Helper()
	time.Sleep(loadBeforeTheKill)
	s.forget()
	begun, watch := clock.System(), clock.Start()
	do(p)()
	p.whole()
	s.answersAgain()
	silent := s.forget()
	p.t.Logf("%s: no answer for %s and %s by HAProxy, %s by its URL; the last 503 after %s; whole again after %s", name,
		rounded(silent[0]), rounded(silent[1]), rounded(silent[2]), rounded(s.lastRefusal(begun)), rounded(watch.Elapsed()))
}

// patronictl is how docs/operate/patroni.md calls it.
const patronictl = "patronictl -c /etc/patroni/config.yml"

// switchover moves the primary, as an operator does.
func (p *patroni) switchover() (mend func()) {
	p.t.Helper()
	old := p.leader()
	said, err := old.entering("postgres", append(strings.Fields(patronictl+" switchover"), "--force", "--leader", old.name, "--candidate", p.standby().name)...).CombinedOutput()
	p.must(string(said), err)
	waitFor(p.t, func() bool { return p.leaderBut(old) })
	return func() {}
}

// withoutEtcd leaves Patroni without a majority of etcd for a while.
func (p *patroni) withoutEtcd() (mend func()) {
	p.t.Helper()
	old := p.leader()
	for _, m := range p.machines[1:] {
		m.kill("/usr/bin/etcd")
	}
	time.Sleep(etcdIsAway)
	if now := p.leader(); now != old {
		p.t.Errorf("without etcd, %s has become the primary in the place of %s", now.name, old.name)
	}
	return func() {
		for _, m := range p.machines {
			p.start(m)
		}
	}
}

func (p *patroni) standby() *machine {
	p.t.Helper()
	leader := p.leader()
	for _, m := range p.machines {
		if m != leader {
			return m
		}
	}
	return nil
}
