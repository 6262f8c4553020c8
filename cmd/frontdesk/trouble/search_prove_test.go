//go:build prove

package trouble_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/clock"
)

// usualSearch is how long `make prove` searches.
const usualSearch = 30 * time.Minute

// The environment variables that search again.
const (
	seedVariable = "FRONTDESK_SEED"   // the first world's
	timeVariable = "FRONTDESK_SEARCH" // how long, as in "2m"; "1ns" is one world
)

// TestProveThatNoTroubleBreaksTheEngine builds one world after the other, each with the
// next seed, until the time is over or a guarantee is broken.
func TestProveThatNoTroubleBreaksTheEngine(t *testing.T) { //nolint:paralleltest // each world wants the machine for itself
	seed, limit, total := seedOf(t), timeOf(t), tally{}
	t.Logf("searching for %s from %s=%d", limit, seedVariable, seed)
	for began := clock.Start(); ; seed++ {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			w := newWorld(t, draw(seed))
			defer func() { total.add(w.tally); total.add(w.totals) }()
			for n := range w.plan.rounds {
				w.live(n)
			}
			t.Logf("%s; %s, %s", w.plan, w.tally, w.totals)
		})
		if t.Failed() || began.Elapsed() >= limit {
			break
		}
	}
	t.Logf("searched: %s", total)
	if total["appends acknowledged"] == 0 || total["webhooks delivered"] == 0 {
		t.Error("nothing was appended, or nothing was told: this has searched nothing")
	}
	if !slices.ContainsFunc(troubles, func(tr trouble) bool { return total[tr.name] > 0 }) {
		t.Error("no trouble struck: this has searched nothing")
	}
}

func seedOf(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv(seedVariable)
	if text == "" {
		return uint64(clock.System().Unix())
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	must(t, err)
	return seed
}

func timeOf(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv(timeVariable)
	if text == "" {
		return usualSearch
	}
	limit, err := time.ParseDuration(text)
	must(t, err)
	return limit
}

// tally counts what has happened, by name.
type tally map[string]int

func (t tally) add(more tally) {
	for name, n := range more {
		t[name] += n
	}
}

func (t tally) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(t)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, t[name]))
	}
	return strings.Join(parts, ", ")
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
