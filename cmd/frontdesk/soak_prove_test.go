//go:build prove

package main_test

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/provetest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/testworld"
)

// The load on the service, and its duration. A visit is eight calls, and four webhooks to
// each of ten applications.
const (
	soakCalls     = 100 // a second
	soakWebhooks  = 500 // a second
	soakReceivers = 10
	soakPatients  = 500 // of each practice
	soakProcesses = 2
	soakOfNight   = time.Minute
	soakOfRelease = 10 * time.Minute
	visitLimit    = time.Minute
	visitsAtOnce  = 500 // beyond which the service does not keep up
)

// TestProveThatAnHourUnderLoadIsFlat starts visits of patients at a fixed rate, regardless of
// earlier ones. Two processes as shipped answer all calls, send every webhook once and log no
// problems. They hold as much at the end as after a while, and the disk fills as
// docs/operate/scale.md describes. A minute at night is too short for the last two.
func TestProveThatAnHourUnderLoadIsFlat_D114(t *testing.T) { //nolint:paralleltest // it measures
	s := newSoak(t)
	long := provetest.Lasts(t, soakOfNight, soakOfRelease)
	before := s.look()
	visits := s.watched(long)
	s.settle()
	after := s.look()
	t.Log("\n" + s.report(visits))
	if want := int64(visits * eventsOfVisit); after.events-before.events != want {
		t.Errorf("%d visits became %d events, want %d", visits, after.events-before.events, want)
	}
	s.sentOnce(visits * webhooksOfVisit)
	s.loggedNothingWorse()
	provetest.Tried(t, visits, "visits")
	provetest.Tried(t, visits*webhooksOfVisit, "webhooks")
	provetest.Tried(t, len(s.seen), "looks")
	for name, gauge := range s.gauges {
		if high := slices.Max(gauge.values); high > gauge.most {
			t.Errorf("%s has reached %.4g, beyond %.4g", name, high, gauge.most)
		}
	}
	if long < soakOfRelease {
		return // caches still fill, which looks like a leak
	}
	for name, gauge := range s.gauges {
		if fault := gauge.swollen(); fault != "" {
			t.Errorf("%s %s", name, fault)
		}
	}
	compareWithPage(t, s.usedADay())
}

// The results of a visit.
const (
	eventsOfVisit   = 9
	webhooksOfVisit = 4 * soakReceivers
)

// soak is a cell that is served by processes of its own, with the observations of it.
type soak struct {
	*cell

	served   []*served
	receiver *hookCounter

	mu     sync.Mutex
	took   []float64 // seconds, of each call that was answered 200
	shown  int       // how many of these newestCalls has shown
	coming int       // visits that have begun and not ended

	seen   []footprint
	gauges map[string]gauge // values that must not grow, by name
}

func newSoak(t *testing.T) *soak {
	t.Helper()
	c, server := newCell(t)
	s := &soak{cell: c, receiver: newHookCounter(t), gauges: map[string]gauge{}}
	for _, setting := range []string{`ALTER SYSTEM SET max_wal_size = '1GB'`, `SELECT pg_reload_conf()`} { // Postgres's own default
		_, err := s.admin.Exec(t.Context(), setting)
		s.must(err)
	}
	url := server.URL("frontdesk", postgres.AppRole)
	engine, err := app.Open(t.Context(), app.Config{
		DatabaseURL: url, AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, MasterKeys: sealing.NewRing(theMasterKey),
	})
	s.must(err)
	defer engine.Close()
	var receivers []string
	for n := range soakReceivers {
		receivers = append(receivers, fmt.Sprintf("%s/%d", s.receiver.URL, n))
	}
	s.found(engine.Desk, soakPatients, receivers...)
	s.must(engine.Drain(t.Context()))
	for range soakProcesses {
		process := serve(t, s.receiver, "--database-url", url)
		s.served, s.urls = append(s.served, process), append(s.urls, process.url)
	}
	verifier, err := testworld.NewVerifier("practice-0", func() string { return s.urls[0] }, clock.System)
	s.must(err)
	s.receiver.verifier = verifier
	return s
}

// watched starts visits, and makes observations meanwhile. It observes in the goroutine of
// the test, which is the only one that may end it.
func (s *soak) watched(long time.Duration) (visits int) {
	s.t.Helper()
	ctx, stop := context.WithCancel(s.t.Context())
	var arriving sync.WaitGroup
	arriving.Go(func() {
		defer stop()
		visits = s.arrive(ctx, long)
	})
	defer func() { stop(); arriving.Wait() }()
	s.watch(ctx)
	return visits
}

// arrive starts visits at their times until the context ends, and waits for the end of the
// last one.
func (s *soak) arrive(ctx context.Context, long time.Duration) (visits int) {
	every := time.Second * time.Duration(len(steps)) / soakCalls
	var group sync.WaitGroup
	defer group.Wait()
	began := clock.Start()
	for ; time.Duration(visits)*every < long && ctx.Err() == nil && s.keepsUp(); visits++ {
		n := visits
		pauseFor(ctx, time.Duration(n)*every-began.Elapsed())
		group.Go(func() { s.admit(n) })
	}
	return visits
}

func (s *soak) keepsUp() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.coming > visitsAtOnce {
		s.t.Errorf("%d visits are under way: the service does not keep up", s.coming)
	}
	return s.coming <= visitsAtOnce
}

// admit starts one visit.
func (s *soak) admit(n int) {
	s.under(1)
	defer s.under(-1)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.t.Context()), visitLimit)
	defer cancel()
	took, err := s.visit(ctx, n)
	if err != nil {
		s.t.Errorf("visit %d: %v", n, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.took = append(s.took, took...)
}

func (s *soak) under(way int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.coming += way
}

// sentOnce checks that that many webhooks were received, each once, and that the service
// recorded all of them as delivered.
func (s *soak) sentOnce(want int) {
	s.t.Helper()
	s.receiver.mu.Lock()
	defer s.receiver.mu.Unlock()
	for what, times := range s.receiver.times {
		if times != 1 {
			s.t.Errorf("%s was received %d times", what, times)
		}
	}
	var delivered, all int
	s.must(s.admin.QueryRow(s.t.Context(), `SELECT count(*) FILTER (WHERE status = 'delivered'), count(*) FROM deliveries`).Scan(&delivered, &all))
	if got := len(s.receiver.times); got != want || delivered != want || all != want {
		s.t.Errorf("%d webhooks were received; the service knows of %d, %d of which were delivered; want %d", got, all, delivered, want)
	}
}

// loggedNothingWorse checks that no process has logged anything worse than info.
func (s *soak) loggedNothingWorse() {
	s.t.Helper()
	for _, process := range s.served {
		process.counts.mu.Lock()
		if worse := process.counts.worse; len(worse) > 0 {
			s.t.Errorf("%d lines are worse than info, the first is %s", len(worse), worse[0])
		}
		process.counts.mu.Unlock()
	}
}
