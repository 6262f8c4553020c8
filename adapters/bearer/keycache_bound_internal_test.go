package bearer

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/adapters/clock"
)

// hanging never answers.
type hanging struct{}

func (hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestConcurrentFetchesAreBounded_D46(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cache := NewKeyCache(KeyCacheConfig{Transport: hanging{}, CheckURL: func(string) error { return nil }, Now: clock.System})
		defer cache.Close()
		gone, leave := context.WithCancel(t.Context())
		leave()
		for i := range maxEntries {
			_, _ = cache.Get(gone, "https://keys.example/"+strconv.Itoa(i))
		}
		_, err := cache.Get(gone, "https://other.example/")
		if !errors.Is(err, errCrowded) || len(cache.entries) != maxEntries || cache.permits+cache.briefWaiters != 0 {
			t.Errorf("%v; %d URLs, %d permits, %d brief waiters", err, len(cache.entries), cache.permits, cache.briefWaiters)
		}
		time.Sleep(fetchTimeout) // every fetch has failed
		synctest.Wait()
		if _, err := cache.Get(gone, "https://other.example/"); !errors.Is(err, context.Canceled) {
			t.Errorf("with room again: %v", err)
		}
	})
}

// nowhere refuses every connection.
type nowhere struct{}

func (nowhere) RoundTrip(*http.Request) (*http.Response, error) { return nil, http.ErrServerClosed }

func TestCachedURLsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cache := NewKeyCache(KeyCacheConfig{Transport: nowhere{}, CheckURL: func(string) error { return nil }, Now: clock.System})
		defer cache.Close()
		for i := range maxEntries + 100 {
			_, _ = cache.Get(t.Context(), "https://keys.example/"+strconv.Itoa(i))
		}
		if n := len(cache.entries); n != maxEntries {
			t.Errorf("%d URLs are remembered", n)
		}
	})
}
