package bearer_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/clock"
)

func TestAFailingURLIsPaced(t *testing.T) {
	t.Parallel()
	for _, latency := range []time.Duration{0, time.Millisecond, 150 * time.Millisecond, 300 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			p := &publisher{latency: latency}
			p.broken.Store(true)
			cache := cacheOf(t, p, 0)
			calls := flood(t, cache, 32, 2*time.Second)

			starts := p.fetches()
			for i := 1; i < len(starts); i++ {
				if gap := starts[i] - starts[i-1]; gap < 200*time.Millisecond {
					t.Errorf("with a latency of %v two fetches start %v apart", latency, gap)
				}
			}
			if len(starts) < 6 || calls < 32*3 {
				t.Errorf("with a latency of %v: %d fetches for %d calls", latency, len(starts), calls)
			}
		})
	}
}

// flood calls from a number of callers for a time, each a millisecond after its last
// answer; all calls are refused. It returns their number.
func flood(t *testing.T, cache *bearer.KeyCache, callers int, length time.Duration) int64 {
	var calls atomic.Int64
	var all sync.WaitGroup
	watch := clock.Start()
	for range callers {
		all.Go(func() {
			for watch.Elapsed() < length {
				calls.Add(1)
				if _, err := cache.Get(t.Context(), keysURL); err == nil {
					t.Error("keys from a failing URL")
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
	all.Wait()
	return calls.Load()
}

// A fetch that began before the URL was fixed still fails after it. A call made in
// between must not get that failure (§5.7).
func TestTheFirstCallAfterARepairSucceeds(t *testing.T) {
	t.Parallel()
	for round := range 300 {
		synctest.Test(t, func(t *testing.T) {
			p := &publisher{latency: time.Duration(round%7) * 60 * time.Millisecond}
			p.broken.Store(true)
			cache := cacheOf(t, p, 0)
			var before sync.WaitGroup
			for caller := range 10 {
				before.Go(func() {
					time.Sleep(time.Duration(caller*round) * time.Millisecond)
					_, _ = cache.Get(t.Context(), keysURL)
				})
			}
			time.Sleep(time.Duration(round*7) * time.Millisecond)
			p.broken.Store(false)
			mustGet(t, cache)
			before.Wait()
		})
	}
}
