//go:build prove

package main_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk.example/client"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/provetest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/testworld"
)

var operationsChecked = provetest.Pick(5000, 100_000)

const (
	practicesAtOnce = 4
	replicasAsked   = 3
)

// TestProveThatRightsAreLinearizable_D15 calls three processes on one database. Meanwhile
// operators disable, revoke, restrict and allow again, authorisations end, and processes are
// killed and paused. The answer to each call must be the contract's at some instant between
// the call and its answer. It must respect all changes that were acknowledged before the
// call, and none that was requested after the answer.
func TestProveThatRightsAreLinearizable_D15(t *testing.T) { //nolint:paralleltest // it takes the machine
	s := newRightsTrial(t)
	begun := clock.Start()
	ctx, stop := context.WithCancel(t.Context())
	var practices sync.WaitGroup
	var opened atomic.Uint64
	for range practicesAtOnce {
		practices.Go(func() {
			for s.tally.known() < operationsChecked && !t.Failed() {
				nth := opened.Add(1)
				p, err := s.openPractice(ctx, nth)
				if err != nil {
					t.Errorf("open a practice: %v", err)
					return
				}
				p.live(ctx, nth)
			}
		})
	}
	over := make(chan struct{})
	go func() { defer close(over); practices.Wait() }()
	defer func() { stop(); <-over }()
	s.trouble(over)
	t.Logf("%d operations at %d practices in %s:\n%s", s.tally.known(), opened.Load(), begun.Elapsed().Round(time.Second), s.tally)
	s.tally.wants(t, "process: killed", "process: paused", "call: "+allowed, "call: "+notEnabled, "call: "+notAuthorised,
		"call: "+wrongPatient, "call: "+recordClosed)
	if !s.tally.anyEnded(unknown) {
		t.Error("no change was cut off by a kill")
	}
	provetest.Tried(t, s.tally.known(), "operations")
	provetest.Tried(t, s.tally.counts["process: killed"], "kills")
	provetest.Tried(t, s.tally.counts["process: paused"], "pauses")
	if !t.Failed() {
		s.explain()
	}
}

// The ends of calls that show nothing about rights.
var (
	errNotThere  = errors.New("not made")
	errNoAnswer  = errors.New("not answered")
	errNotJudged = errors.New("unavailable")
)

// rightsTrial is three processes on one database, with their callers and operators.
type rightsTrial struct {
	t        *testing.T
	seed     uint64
	engine   *app.Engine // of the operators
	replicas []*replica
	keyFile  string
	keys     string // where applications publish the key
	client   *http.Client
	tally    *rightsTally
}

func newRightsTrial(t *testing.T) *rightsTrial {
	t.Helper()
	s := &rightsTrial{
		t: t, seed: seedOf(t), keyFile: filepath.Join(t.TempDir(), "key.pem"), tally: &rightsTally{counts: map[string]int{}},
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: practicesAtOnce * callersOfAPractice}},
	}
	db := postgrestest.New(t)
	args := append(serveArgs(t, db.URL), "--auth-url", "http://"+pagesHost) // a browser sends its cookies without TLS
	for range replicasAsked {
		r := &replica{t: t, place: freePlace(t), args: args}
		t.Cleanup(func() { r.stop() })
		r.start(testworld.Binary(t))
		s.replicas = append(s.replicas, r)
	}
	s.publish(db.URL)
	return s
}

// publish opens the operators' engine and publishes the key of all applications.
func (s *rightsTrial) publish(database string) {
	s.t.Helper()
	var err error
	s.engine, err = app.Open(s.t.Context(), app.Config{DatabaseURL: database, AllowNetwork: loopback, MasterKeys: sealing.NewRing(theMasterKey)})
	s.must(err)
	s.t.Cleanup(s.engine.Close)
	s.must(client.GenerateKey(s.keyFile))
	signer, err := testworld.Signer("", s.keyFile)
	s.must(err)
	s.keys = publishKeys(s.t, signer.KeySet())
}

// theSeed is the environment variable that repeats the plan of an earlier run: the clients'
// actions and the processes' faults. Their interleaving depends on the machine.
const theSeed = "FRONTDESK_TEST_SEED"

func seedOf(t *testing.T) uint64 {
	t.Helper()
	seed, err := rand.Uint64(), error(nil)
	if given := os.Getenv(theSeed); given != "" {
		seed, err = strconv.ParseUint(given, 10, 64)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s=%d", theSeed, seed)
	return seed
}

func (s *rightsTrial) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// rest waits, unless ctx is done before.
func (s *rightsTrial) rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
