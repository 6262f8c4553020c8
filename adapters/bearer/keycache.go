package bearer

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"frontdesk/adapters/outbound"
)

// Times and bounds of the cache (D8, D9).
const (
	DefaultTTL = time.Hour // §5.7, §8

	fetchTimeout = 5 * time.Second        // one fetch, its body included
	pace         = 200 * time.Millisecond // between the starts of fetches of a failing URL
	patience     = 10 * time.Second       // one caller's waiting, in all
	maxEntries   = 10_000                 // URLs remembered
)

// KeyCacheConfig is what a [KeyCache] is made of.
type KeyCacheConfig struct {
	// Transport makes the fetches; [outbound.NewTransport] makes a guarded one.
	Transport http.RoundTripper
	// CheckURL judges a URL before each fetch; [outbound.Guard.CheckURL].
	CheckURL func(url string) error
	// TTL is how long a readable set serves, from the end of its fetch;
	// [DefaultTTL] when zero (--jwks-cache).
	TTL time.Duration
	// Now is the clock.
	Now func() time.Time
}

// KeyCache fetches applications' key sets and keeps the readable ones (§5.7,
// D8, D9). It remembers no failure: while a URL fails, each caller waits for a
// fetch that begins after the caller came. So the first call after the URL is
// mended succeeds, and fetches are paced, not calls refused.
//
// Its goroutines, one for each URL being fetched, end before [KeyCache.Close]
// returns.
type KeyCache struct {
	config KeyCacheConfig
	client *http.Client

	ctx     context.Context // of every fetch: no caller's
	stop    context.CancelFunc
	flights sync.WaitGroup

	mu      sync.Mutex
	entries map[string]*entry
	order   uint64 // of callers' coming and fetches' beginning
}

// entry is what is known of one URL, guarded by the cache's mutex.
type entry struct {
	flight  *flight   // the latest fetch
	flying  bool      // which has not landed yet
	until   time.Time // or has, with a set that serves until then
	started time.Time // when it started
	failing bool      // the latest that landed had failed
}

var errClosed = errors.New("the key cache is closed")

// NewKeyCache makes an empty cache. Its owner closes it.
func NewKeyCache(config KeyCacheConfig) *KeyCache {
	if config.TTL == 0 {
		config.TTL = DefaultTTL
	}
	ctx, stop := context.WithCancel(context.Background())
	return &KeyCache{
		config:  config,
		client:  outbound.NewClient(config.Transport),
		ctx:     ctx,
		stop:    stop,
		entries: make(map[string]*entry),
	}
}

// Close ends all fetches and waits for them. Calls that wait are refused.
func (c *KeyCache) Close() {
	c.mu.Lock()
	c.stop()
	c.mu.Unlock()
	c.flights.Wait()
}

// Get is the key set at url: the cached one while its time lasts, a fetched
// one otherwise. It waits at most 10 s. Errors are a [*Refusal] when the set
// cannot be had, or the context's when the caller has gone.
func (c *KeyCache) Get(ctx context.Context, url string) (KeySet, error) {
	shared, came := c.board(url)
	if shared.landed() && shared.err == nil {
		return shared.set, nil
	}
	enough := time.NewTimer(patience)
	defer enough.Stop()
	for {
		select {
		case <-shared.done:
		case <-enough.C:
			return KeySet{}, errUnreachable.with(url).because(errImpatient)
		case <-ctx.Done():
			return KeySet{}, ctx.Err()
		}
		// A fetch that began before this caller came may have failed before
		// the URL was mended: its failure is not this caller's (D9).
		if shared.err == nil || came < shared.began {
			return shared.set, shared.err
		}
		shared, _ = c.board(url)
	}
}

var errImpatient = errors.New("waited 10 s for fetches that failed or did not end")

// entry is what is known of url, made when nothing is. The caller holds the
// mutex.
func (c *KeyCache) entry(url string) *entry {
	e, known := c.entries[url]
	if !known {
		c.makeRoom()
		e = &entry{}
		c.entries[url] = e
	}
	return e
}

// makeRoom forgets some URL that nobody is fetching. Where all are being
// fetched, the number of calls in flight is the bound.
func (c *KeyCache) makeRoom() {
	if len(c.entries) < maxEntries {
		return
	}
	for url, e := range c.entries {
		if !e.flying {
			delete(c.entries, url)
			return
		}
	}
}
