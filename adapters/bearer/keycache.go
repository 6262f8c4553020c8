package bearer

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/outbound"
	"frontdesk/domain/application"
)

// The times and limits of the cache.
const (
	DefaultTTL = time.Hour // how long a set is used by default

	fetchTimeout = 5 * time.Second        // one fetch, its body included
	pace         = 200 * time.Millisecond // between the starts of fetches of a failing URL
	maxEntries   = 10_000                 // URLs in memory, and so of concurrent fetches
)

// KeyCacheConfig configures a [KeyCache]. All its fields except TTL, Warn and Registry
// are needed.
type KeyCacheConfig struct {
	// Transport makes the fetches. [outbound.NewTransport] returns a guarded one.
	Transport http.RoundTripper
	// CheckURL checks a URL before each fetch, as [outbound.Guard.CheckURL] does.
	CheckURL func(url string) error
	// TTL is how long a readable set is used, from the end of its fetch (--jwks-cache).
	// Zero means [DefaultTTL].
	TTL time.Duration
	// Now is the clock.
	Now func() time.Time
	// Warn is called when a set is found to contain private keys, and once an hour
	// while it does. It must not block. It may be nil.
	Warn func(url string, report FetchReport)

	// Registry is where its metrics are registered. Nil: not measured.
	Registry prometheus.Registerer
}

// KeyCache fetches applications' key sets and keeps the readable ones (D8), each until
// it expires or an application has it fetched again (D94). It never keeps a failure.
// While a URL fails, each caller waits for a fetch that begins after the call, and
// fetches are spaced out. So the first call after the URL is fixed succeeds.
//
// All callers may wait while a fetch is younger than a second. After that, and while
// the URL fails, at most 32 wait, and the others are refused.
//
// It runs a goroutine for each URL that is being fetched. All of them have ended when
// [KeyCache.Close] returns.
type KeyCache struct {
	config  KeyCacheConfig
	client  *http.Client
	metrics *metrics

	ctx     context.Context // of every fetch, because a fetch has no owning caller
	stop    context.CancelFunc
	fetches sync.WaitGroup

	mu                    sync.Mutex
	entries               map[string]*entry
	order                 uint64 // numbers callers at arrival and fetches at their start
	permits, briefWaiters int    // of waiting callers, for all URLs together
}

// entry is the state of one URL. The cache's mutex guards it.
type entry struct {
	sharedFetch *sharedFetch // the latest fetch
	fetching    bool         // it has not completed
	held        *sharedFetch // the latest fetch with a set; nil if absent
	until       time.Time    // when that set expires
	started     time.Time    // when the latest fetch started
	failing     bool         // the latest completed fetch failed
	permits     int          // of waiting callers

	marks map[application.ID]known // of the applications whose set it is

	last   FetchReport          // of the latest completed fetch
	since  map[string]time.Time // since when the sets have contained each kid
	warned time.Time            // when the operator was last warned of private keys
}

// NewKeyCache returns an empty cache. The caller closes it.
func NewKeyCache(config KeyCacheConfig) *KeyCache {
	if config.TTL == 0 {
		config.TTL = DefaultTTL
	}
	ctx, stop := context.WithCancel(context.Background())
	c := &KeyCache{
		config:  config,
		client:  outbound.NewClient(config.Transport),
		ctx:     ctx,
		stop:    stop,
		entries: make(map[string]*entry),
	}
	c.metrics = newMetrics(config.Registry, c)
	return c
}

// Close cancels all fetches and waits for them. Waiting calls are refused.
func (c *KeyCache) Close() {
	c.mu.Lock()
	c.stop()
	c.mu.Unlock()
	c.fetches.Wait()
}

// Get returns the key set at url: the cached set if it has not expired, a fetched one
// otherwise. It waits at most 10 s. The error is a [*Refusal] if there is no set, a
// [*fault.Error] of the kind [fault.Unavailable] if too many wait already or the cache
// is closed, or the error of ctx.
func (c *KeyCache) Get(ctx context.Context, url string) (KeySet, error) {
	return c.get(ctx, &waiter{url: url})
}

// GetFor is Get for a call whose rights carry a mark.
func (c *KeyCache) GetFor(ctx context.Context, url string, mark RereadMark) (KeySet, error) {
	return c.get(ctx, &waiter{url: url, mark: mark})
}

func (c *KeyCache) get(ctx context.Context, w *waiter) (KeySet, error) {
	shared, err := c.join(w)
	if err != nil {
		return KeySet{}, err
	}
	if !w.waits() {
		return shared.set, nil
	}
	defer c.leave(w)
	return c.wait(ctx, w, shared)
}

// entry returns the entry of url and makes one if there is none. The caller holds
// the mutex.
func (c *KeyCache) entry(url string) (*entry, error) {
	e, known := c.entries[url]
	if known {
		return e, nil
	}
	if len(c.entries) >= maxEntries && !c.forgetOne() {
		c.metrics.sentAway()
		return nil, fmt.Errorf("begin a fetch of %s: %w", url, errCrowded)
	}
	e = &entry{}
	c.entries[url] = e
	return e, nil
}

// forgetOne removes a URL without waiters, and reports whether there was one.
func (c *KeyCache) forgetOne() bool {
	for url, e := range c.entries {
		if !e.fetching && e.permits == 0 {
			delete(c.entries, url)
			return true
		}
	}
	return false
}
