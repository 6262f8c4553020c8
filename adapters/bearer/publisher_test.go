package bearer_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/clock"
)

// keysURL is the URL of the fake publishers: they are reached without a network, on the
// clock of the test's bubble.
const keysURL = "https://keys.example/jwks.json"

const didNotRespond = "Unable to obtain JWKS from https://keys.example/jwks.json: the URL did not respond"

// publisher plays the server behind a JWKS URL. Its answer is chosen when a fetch
// starts, and arrives after the latency.
type publisher struct {
	latency time.Duration
	broken  atomic.Bool
	stuck   bool // never answers, and ignores cancellation

	mu     sync.Mutex
	starts []time.Time
}

func (p *publisher) RoundTrip(req *http.Request) (*http.Response, error) {
	p.mu.Lock()
	p.starts = append(p.starts, clock.System())
	p.mu.Unlock()
	broken := p.broken.Load()
	select {
	case <-time.After(p.latency):
	case <-p.givenUp(req):
		return nil, req.Context().Err()
	}
	if broken {
		return nil, errors.New("connection refused")
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(app.JWKS()))}, nil
}

func (p *publisher) givenUp(req *http.Request) <-chan struct{} {
	if p.stuck {
		return nil
	}
	return req.Context().Done()
}

// fetches returns when each fetch started, relative to the first.
func (p *publisher) fetches() []time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	var after []time.Duration
	for _, start := range p.starts {
		after = append(after, start.Sub(p.starts[0]))
	}
	return after
}

// byHost plays the servers behind several JWKS URLs, by the names of their hosts.
type byHost map[string]http.RoundTripper

func (b byHost) RoundTrip(req *http.Request) (*http.Response, error) {
	return b[req.URL.Hostname()].RoundTrip(req)
}

// cacheOf returns a cache that reaches only p, closed when the test ends.
func cacheOf(t *testing.T, p http.RoundTripper, ttl time.Duration) *bearer.KeyCache {
	cache := bearer.NewKeyCache(bearer.KeyCacheConfig{
		Transport: p, CheckURL: func(string) error { return nil }, TTL: ttl, Now: clock.System,
	})
	t.Cleanup(cache.Close)
	return cache
}
