package bearer

import (
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// nowhere refuses every connection.
type nowhere struct{}

func (nowhere) RoundTrip(*http.Request) (*http.Response, error) { return nil, http.ErrServerClosed }

func TestTheCacheRemembersABoundedNumberOfURLs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cache := NewKeyCache(KeyCacheConfig{Transport: nowhere{}, CheckURL: func(string) error { return nil }, Now: time.Now})
		defer cache.Close()
		for i := range maxEntries + 100 {
			_, _ = cache.Get(t.Context(), "https://keys.example/"+strconv.Itoa(i))
		}
		if n := len(cache.entries); n != maxEntries {
			t.Errorf("%d URLs are remembered", n)
		}
	})
}
