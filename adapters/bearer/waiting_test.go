package bearer_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/adapters/bearer"
	"frontdesk/domain/fault"
)

// crowd is concurrent callers of a cache, and their results.
type crowd struct {
	cache                    *bearer.KeyCache
	waiting                  atomic.Int64
	served, sentAway, failed atomic.Int64
	all                      sync.WaitGroup
}

// call makes concurrent calls for the set at a URL.
func (c *crowd) call(ctx context.Context, callers int, url string) {
	for range callers {
		c.waiting.Add(1)
		c.all.Go(func() {
			defer c.waiting.Add(-1)
			_, err := c.cache.Get(ctx, url)
			c.record(err)
		})
	}
}

func (c *crowd) record(err error) {
	f, _ := errors.AsType[*fault.Error](err)
	switch {
	case err == nil:
		c.served.Add(1)
	case f != nil && f.Kind == fault.Unavailable && f.Code == "unavailable":
		c.sentAway.Add(1)
	default:
		c.failed.Add(1)
	}
}

// want waits until every caller is waiting or answered, and compares the counts.
func (c *crowd) want(t *testing.T, waiting, served, sentAway, failed int64) {
	t.Helper()
	synctest.Wait()
	got := [...]int64{c.waiting.Load(), c.served.Load(), c.sentAway.Load(), c.failed.Load()}
	if want := [...]int64{waiting, served, sentAway, failed}; got != want {
		t.Errorf("waiting, served, sent away, failed: got %v, want %v", got, want)
	}
}

// Ten times the observed attack: unsigned tokens that name an application whose key set
// hangs.
func TestHangingSetHas32WaitersAtMost_D46(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := crowd{cache: cacheOf(t, byHost{"keys.example": &publisher{latency: time.Hour}, "other.example": &publisher{latency: time.Second / 2}}, 0)}
		honest := crowd{cache: c.cache}
		for tenth := range 130 {
			if tenth == 60 {
				honest.call(t.Context(), 5000, "https://other.example/")
			}
			c.call(t.Context(), 140, keysURL)
			synctest.Wait()
			if n := c.waiting.Load(); tenth >= 10 && n > 32 {
				t.Fatalf("after %d tenths of a second %d are waiting", tenth, n)
			}
			time.Sleep(100 * time.Millisecond)
		}
		honest.want(t, 0, 5000, 0, 0)
		if served, failed := c.served.Load(), c.failed.Load(); served != 0 || failed < 32 {
			t.Errorf("%d were served by a set that hangs, and %d were told that it does not respond", served, failed)
		}
	})
}

func TestOnceAFetchIsASecondOldOnly32WaitOn_D46(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := crowd{cache: cacheOf(t, &publisher{latency: 3 * time.Second}, 0)}
		c.call(t.Context(), 100, keysURL)
		time.Sleep(time.Second - time.Nanosecond)
		c.want(t, 100, 0, 0, 0)
		time.Sleep(time.Nanosecond)
		c.want(t, 32, 0, 68, 0)
		c.call(t.Context(), 10, keysURL)
		c.want(t, 32, 0, 78, 0)
		time.Sleep(2 * time.Second)
		c.want(t, 0, 32, 78, 0)
		c.call(t.Context(), 100, keysURL)
		c.want(t, 0, 132, 78, 0)
	})
}

func TestOnly32WaitForAFailingURL_D46(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &publisher{}
		p.broken.Store(true)
		c := crowd{cache: cacheOf(t, p, 0)}
		c.call(t.Context(), 1, keysURL)
		c.want(t, 0, 0, 0, 1)
		c.call(t.Context(), 100, keysURL)
		c.want(t, 32, 0, 68, 1)
		_, err := c.cache.Get(t.Context(), keysURL)
		const wantLog = "wait for " + keysURL + ": unavailable: Too many calls are waiting for key sets that are slow to come. Try again shortly."
		if err == nil || err.Error() != wantLog { // callers do not see the URL
			t.Errorf("the log is told %v", err)
		}
		p.broken.Store(false)
		time.Sleep(200 * time.Millisecond)
		c.want(t, 0, 32, 68, 1)
	})
}

func TestAClientThatGoesAwayGivesItsSeatBack_D46(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := crowd{cache: cacheOf(t, &publisher{latency: 4 * time.Second}, 0)}
		hasty, leave := context.WithCancel(t.Context())
		c.call(hasty, 1, keysURL)
		synctest.Wait()
		c.call(t.Context(), 31, keysURL)
		time.Sleep(time.Second)
		c.call(t.Context(), 1, keysURL)
		c.want(t, 32, 0, 1, 0)
		leave()
		c.want(t, 31, 0, 1, 1)
		c.call(t.Context(), 2, keysURL)
		c.want(t, 32, 0, 2, 1)
		time.Sleep(3 * time.Second)
		c.want(t, 0, 32, 2, 1)
	})
}

// Thousands of URLs that hang leave room for the callers of one that does not.
func TestWaitersForAllSetsTogetherAreBounded_D46(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := byHost{"keys.example": &publisher{latency: time.Hour}, "other.example": &publisher{latency: time.Second / 2}}
		c := crowd{cache: cacheOf(t, p, 0)}
		for set := range 3000 {
			c.call(t.Context(), 4, keysURL+"?"+strconv.Itoa(set))
		}
		synctest.Wait()
		if n := c.waiting.Load(); n != 1024+5120 {
			t.Errorf("%d are waiting for young fetches", n)
		}
		time.Sleep(time.Second)
		c.want(t, 1024, 0, 12_000-1024, 0)

		honest := crowd{cache: c.cache}
		honest.call(t.Context(), 5000, "https://other.example/")
		time.Sleep(time.Second / 2)
		honest.want(t, 0, 5000, 0, 0)
		time.Sleep(10 * time.Second)
		c.want(t, 0, 0, 12_000-1024, 1024)
	})
}

// A caller that finds no room is refused at once, but the fetch that it wanted begins.
func TestCallAfterFullQueueIsServed_D46(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &publisher{}
		c := crowd{cache: cacheOf(t, byHost{"keys.example": &publisher{latency: time.Hour}, "other.example": p}, 0)}
		p.broken.Store(true)
		c.call(t.Context(), 1, "https://other.example/")
		c.want(t, 0, 0, 0, 1)
		p.broken.Store(false)
		for set := range 32 {
			c.call(t.Context(), 32, keysURL+"?"+strconv.Itoa(set))
		}
		c.want(t, 1024, 0, 0, 1)
		c.call(t.Context(), 1, "https://other.example/")
		c.want(t, 1024, 0, 1, 1)
		time.Sleep(200 * time.Millisecond) // fetches of a failing URL are spaced out
		synctest.Wait()
		c.call(t.Context(), 1, "https://other.example/")
		c.want(t, 1024, 1, 1, 1)
	})
}

// Only the clock decides the age of a fetch.
func TestTheAgeOfAFetchIsTheClocks_D46(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var later atomic.Int64
		cache := bearer.NewKeyCache(bearer.KeyCacheConfig{
			Transport: &publisher{latency: 3 * time.Second}, CheckURL: func(string) error { return nil },
			Now: func() time.Time { return noon.Add(time.Duration(later.Load())) },
		})
		t.Cleanup(cache.Close)
		c := crowd{cache: cache}
		c.call(t.Context(), 33, keysURL)
		c.want(t, 33, 0, 0, 0)
		later.Store(int64(time.Second))
		c.call(t.Context(), 1, keysURL)
		c.want(t, 33, 0, 1, 0)
		time.Sleep(3 * time.Second)
		c.want(t, 0, 32, 2, 0)
	})
}
