package bearer_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/clock"
	"frontdesk/domain/application"
)

// marked is a mark of an application; later ones have higher numbers.
func marked(of byte, n int) bearer.RereadMark {
	return bearer.RereadMark{Application: application.ID{UUID: uuid.UUID{of}}, At: time.Date(1970, 1, 1, 0, n, 0, 0, time.UTC)}
}

func mustGetFor(t *testing.T, cache *bearer.KeyCache, mark bearer.RereadMark) {
	t.Helper()
	if set, err := cache.GetFor(t.Context(), keysURL, mark); err != nil || set.Len() != 1 {
		t.Errorf("%d keys, %v", set.Len(), err)
	}
}

func wantFetches(t *testing.T, p *publisher, n int) {
	t.Helper()
	if got := len(p.fetches()); got != n {
		t.Errorf("%d fetches, want %d", got, n)
	}
}

// Marks are of 1970, so no clock of this process is older: only the moment counts at
// which this process first saw the mark.
func TestSetReadBeforeMarkIsNotUsed_D94(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &publisher{}
		cache := cacheOf(t, p, 0)
		mustGet(t, cache)
		mustGetFor(t, cache, marked('a', 1))
		mustGetFor(t, cache, marked('a', 1))
		wantFetches(t, p, 2)
		mustGetFor(t, cache, marked('a', 2))
		mustGetFor(t, cache, marked('a', 1)) // from an earlier call
		mustGet(t, cache)
		wantFetches(t, p, 3)

		p.broken.Store(true)
		mustGetFor(t, cache, marked('a', 2))
		_, err := cache.GetFor(t.Context(), keysURL, marked('a', 3))
		refused(t, err, didNotRespond)
	})
}

func TestFetchBeforeMarkDoesNotCount_D94(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &publisher{latency: 2 * time.Second}
		cache := cacheOf(t, p, 0)
		var callers sync.WaitGroup
		callers.Go(func() { mustGet(t, cache) })
		time.Sleep(time.Second)
		began := clock.Start()
		callers.Go(func() {
			mustGetFor(t, cache, marked('a', 1))
			if waited := began.Elapsed(); waited != 3*time.Second {
				t.Errorf("waited %v, want the rest of the first fetch and a second one", waited)
			}
		})
		callers.Wait()
		wantFetches(t, p, 2)
	})
}

// Two applications may be registered with one URL. The marks of one do not affect the
// other.
func TestRereadIsPerApplication_D94(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &publisher{}
		cache := cacheOf(t, p, 0)
		mustGetFor(t, cache, marked('a', 9))
		mustGetFor(t, cache, marked('b', 1)) // earlier by the clock, but seen later
		wantFetches(t, p, 2)
		mustGetFor(t, cache, marked('a', 9))
		mustGet(t, cache)
		wantFetches(t, p, 2)
	})
}

func TestReadingAgainThatFailsCostsNothing_D94(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &publisher{}
		cache := cacheOf(t, p, 0)
		mustGet(t, cache)
		read := clock.System()
		time.Sleep(time.Minute)
		p.broken.Store(true)
		p.latency = time.Second
		var callers sync.WaitGroup
		callers.Go(func() { refused(t, cache.Reread(t.Context(), keysURL), didNotRespond) })
		synctest.Wait()
		mustGet(t, cache) // while it is read
		callers.Wait()
		mustGet(t, cache)
		report := cache.Report(keysURL)
		if report.LastFetch.Outcome != bearer.FetchUnreachable || !report.FetchedAt.Equal(read) || !report.Until.Equal(read.Add(time.Hour)) || len(report.Keys) != 1 {
			t.Errorf("%+v", report)
		}
		time.Sleep(report.Until.Sub(clock.System())) // and not longer than it would have served
		_, err := cache.Get(t.Context(), keysURL)
		refused(t, err, didNotRespond)
	})
}

func TestRereadRestartsTheHour_D94(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &publisher{}
		cache := cacheOf(t, p, 0)
		mustGet(t, cache)
		first := cache.Report(keysURL)
		time.Sleep(time.Minute)
		if err := cache.Reread(t.Context(), keysURL); err != nil {
			t.Fatal(err)
		}
		again := cache.Report(keysURL)
		if !again.Until.Equal(first.Until.Add(time.Minute)) || !again.Keys[0].Since.Equal(first.FetchedAt) {
			t.Errorf("first %+v, then %+v", first, again)
		}
		time.Sleep(first.Until.Sub(clock.System()))
		mustGet(t, cache)
		wantFetches(t, p, 2)
	})
}

// The holder of a token may repeat the call at any rate. The URL is fetched five times
// a second.
func TestReadingAgainKeepsItsDistance_D94(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &publisher{}
		cache := cacheOf(t, p, 0)
		mustGet(t, cache)
		var callers sync.WaitGroup
		for range 8 {
			callers.Go(func() {
				for range 5 {
					if err := cache.Reread(t.Context(), keysURL); err != nil {
						t.Error(err)
					}
					mustGet(t, cache) // never waits
				}
			})
		}
		callers.Wait()
		starts := p.fetches()
		for i := 1; i < len(starts); i++ {
			if apart := starts[i] - starts[i-1]; apart < 200*time.Millisecond {
				t.Errorf("two fetches %v apart", apart)
			}
		}
		if len(starts) > 12 {
			t.Errorf("40 callers caused %d fetches", len(starts))
		}
	})
}
