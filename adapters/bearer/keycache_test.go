package bearer_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/clock"
)

func TestAColdHerdCausesOneFetch(t *testing.T) {
	t.Parallel()
	for _, latency := range []time.Duration{0, time.Second - time.Nanosecond} {
		synctest.Test(t, func(t *testing.T) {
			p := &publisher{latency: latency}
			cache := cacheOf(t, p, 0)
			var herd sync.WaitGroup
			for range 5000 {
				herd.Go(func() { mustGet(t, cache) })
			}
			herd.Wait()
			if n := len(p.fetches()); n != 1 {
				t.Errorf("with a latency of %v: %d fetches", latency, n)
			}
		})
	}
}

func TestASetServesItsHourAndNoLonger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &publisher{latency: 3 * time.Second}
		cache := cacheOf(t, p, 0)
		mustGet(t, cache)
		fetched := clock.System() // the hour counts from the end of the fetch
		p.broken.Store(true)

		time.Sleep(time.Hour - 1)
		mustGet(t, cache)
		if n := len(p.fetches()); n != 1 {
			t.Errorf("%d fetches within the hour", n)
		}
		time.Sleep(fetched.Add(time.Hour).Sub(clock.System()))
		_, err := cache.Get(t.Context(), keysURL)
		refused(t, err, didNotRespond)

		p.broken.Store(false)
		mustGet(t, cache)
	})
}

func TestAfterItsTimeASetIsFetchedAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &publisher{}
		cache := cacheOf(t, p, 10*time.Millisecond)
		for range 5 {
			mustGet(t, cache)
			time.Sleep(10 * time.Millisecond)
		}
		if got := p.fetches(); len(got) != 5 || got[4] != 40*time.Millisecond {
			t.Errorf("fetches at %v", got)
		}
	})
}

func TestOneCallersLeavingSpoilsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &publisher{latency: time.Second}
		cache := cacheOf(t, p, 0)
		hasty, leave := context.WithCancel(t.Context())
		var callers sync.WaitGroup
		callers.Go(func() {
			if _, err := cache.Get(hasty, keysURL); !errors.Is(err, context.Canceled) {
				t.Errorf("the caller who left: %v", err)
			}
		})
		synctest.Wait()
		callers.Go(func() { mustGet(t, cache) })
		synctest.Wait()
		leave()
		callers.Wait()
		if n := len(p.fetches()); n != 1 {
			t.Errorf("%d fetches", n)
		}
	})
}

// Callers of a URL that hangs wait for the current fetch and for one more, all
// together.
func TestCallersOfHangingURLShareFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &publisher{latency: time.Hour}
		cache := cacheOf(t, p, 0)
		began := clock.Start()
		var herd sync.WaitGroup
		for caller := range 32 {
			herd.Go(func() {
				time.Sleep(time.Duration(caller) * 100 * time.Millisecond)
				_, err := cache.Get(t.Context(), keysURL)
				refused(t, err, didNotRespond)
			})
		}
		herd.Wait()
		if n := len(p.fetches()); n != 2 {
			t.Errorf("%d fetches", n)
		}
		if waited := began.Elapsed(); waited != 10*time.Second {
			t.Errorf("the last was answered after %v", waited)
		}
	})
}

func TestKeyFetchWaitIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &publisher{latency: time.Hour, stuck: true}
		cache := cacheOf(t, p, 0)
		came := clock.Start()
		_, err := cache.Get(t.Context(), keysURL)
		refused(t, err, didNotRespond)
		if waited := came.Elapsed(); waited != 10*time.Second {
			t.Errorf("waited %v", waited)
		}
	})
}

// Callers are refused as unavailable, because the URL has not failed.
func TestCloseReleasesWaiters(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &publisher{latency: time.Second}
		p.broken.Store(true)
		c := crowd{cache: cacheOf(t, p, 0)}
		_, _ = c.cache.Get(t.Context(), keysURL)
		p.latency = time.Hour
		c.call(t.Context(), 10, keysURL)
		c.want(t, 10, 0, 0, 0)
		closed := clock.Start()
		c.cache.Close()
		c.want(t, 0, 0, 10, 0)
		fetched := len(p.fetches())
		c.call(t.Context(), 1, keysURL)
		c.want(t, 0, 0, 11, 0)
		if _, err := c.cache.Get(t.Context(), keysURL); err == nil || err.Error() != "unavailable: The service is stopping. Try again shortly." {
			t.Errorf("after it: %v", err)
		}
		if took, n := closed.Elapsed(), len(p.fetches()); took != 0 || n != fetched {
			t.Errorf("closing took %v, and %d fetches came after it", took, n-fetched)
		}
	})
}

func TestWaitersTimeOutDuringHangingFetch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := crowd{cache: cacheOf(t, &publisher{latency: time.Hour, stuck: true}, 0)}
		c.call(t.Context(), 40, keysURL)
		c.want(t, 40, 0, 0, 0)
		c.all.Go(c.cache.Close)
		c.want(t, 0, 0, 40, 0)
		c.all.Wait()
	})
}

func mustGet(t *testing.T, cache *bearer.KeyCache) {
	t.Helper()
	if keys, err := cache.Get(t.Context(), keysURL); err != nil || keys.Len() != 1 {
		t.Errorf("%v, %d keys", err, keys.Len())
	}
}
