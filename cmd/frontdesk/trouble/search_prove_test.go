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
	"frontdesk/adapters/provetest"
)

// How long a search lasts.
const (
	searchOfNight   = 2 * time.Minute
	searchOfRelease = 30 * time.Minute
)

// seedVariable is the environment variable that searches again: the first world's seed.
const seedVariable = "FRONTDESK_SEED"

// TestProveThatNoTroubleBreaksTheEngine builds one world after the other, each with the
// next seed, until the time is over or a guarantee is broken.
func TestProveThatNoTroubleBreaksTheEngine(t *testing.T) { //nolint:paralleltest // each world needs the whole machine
	seed, limit, total := seedOf(t), provetest.Lasts(t, searchOfNight, searchOfRelease), tally{}
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
	for _, what := range []string{"worlds", "events", "appends acknowledged", "webhooks delivered"} {
		provetest.Tried(t, total[what], what)
	}
	struck := tally{}
	for _, tr := range troubles {
		if n := total[tr.name]; n > 0 {
			struck[tr.name] = n
		}
	}
	for name, n := range struck {
		provetest.Tried(t, n, name)
	}
	if len(struck) == 0 {
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

// tally counts events of the search, by name.
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
