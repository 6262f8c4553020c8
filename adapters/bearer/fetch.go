package bearer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"frontdesk/adapters/background"
)

// sharedFetch is one fetch, shared by all callers that wait for it. Its other fields are set
// before done is closed.
type sharedFetch struct {
	done   chan struct{}
	set    KeySet
	err    error
	ended  time.Time // when it completed
	opened time.Time // when its first caller joined
	paced  bool      // it keeps the minimum distance from the previous fetch even if that succeeded
	began  uint64    // its number in the cache's order; 0 until it begins
}

func (f *sharedFetch) completed() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

// join returns the fetch for a caller to wait for. It may have completed already, with
// a usable set. If there is none, board begins one. So a caller that finds no room to
// wait finds the set by its next call.
func (c *KeyCache) join(w *waiter) (*sharedFetch, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, err := c.entry(w.url)
	if err != nil {
		return nil, err
	}
	now := c.config.Now()
	w.after = max(w.after, c.notBefore(e, w.mark))
	if e.serves(now, w.after) {
		return e.held, nil
	}
	if c.ctx.Err() != nil {
		return nil, errStopping
	}
	if w.came == 0 {
		c.order++
		w.came = c.order
	}
	if !e.fetching {
		c.takeOff(w, e, now)
	}
	return e.sharedFetch, c.admit(w, e, now)
}

// serves reports whether the current set is usable for a caller that needs a fetch
// begun after a number in the cache's order.
func (e *entry) serves(now time.Time, after uint64) bool {
	return e.held != nil && now.Before(e.until) && e.held.began > after
}

func (c *KeyCache) takeOff(w *waiter, e *entry, now time.Time) {
	e.sharedFetch, e.fetching = &sharedFetch{done: make(chan struct{}), opened: now, paced: w.rereads}, true
	c.fetches.Go(func() { c.runFetch(w.url, e) })
}

// runFetch waits for the URL's pace, fetches the set, and completes the fetch for its
// waiters.
func (c *KeyCache) runFetch(url string, e *entry) {
	c.waitForPace(e)
	c.begin(e)
	set, err := c.fetch(url)
	c.complete(url, e, set, err)
}

// waitForPace keeps a minimum time between the fetches of a failing URL, and between
// those that callers request.
func (c *KeyCache) waitForPace(e *entry) {
	c.mu.Lock()
	wait := min(pace, e.started.Add(pace).Sub(c.config.Now())) // at most pace, even if the clock was set back
	apart := e.failing || e.sharedFetch.paced
	c.mu.Unlock()
	if apart && wait > 0 {
		background.Sleep(c.ctx, wait)
	}
}

func (c *KeyCache) begin(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.order++
	e.sharedFetch.began = c.order
	e.started = c.config.Now()
}

// complete stores the result of a fetch and wakes its waiters. A failure leaves the
// previous set in use until it expires.
func (c *KeyCache) complete(url string, e *entry, set KeySet, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.config.Now()
	f := e.sharedFetch
	e.fetching, e.failing = false, err != nil
	f.set, f.err, f.ended = set, err, now
	if err == nil {
		e.held, e.until = f, now.Add(c.config.TTL)
	}
	close(f.done)
	if c.ctx.Err() != nil {
		return // the fetch was cancelled, and has no result
	}
	report := ReportOf(now, set, err)
	c.metrics.fetched(report.Outcome, now.Sub(e.started))
	if e.keep(report, set) && c.config.Warn != nil {
		c.config.Warn(url, report)
	}
}

// maxSet is the maximum size of a key set, in bytes.
const maxSet = 256 << 10

// fetch reads the key set at url within 5 s (D9). Unless the cache is closed, its
// errors are the three refusals about key sets. Their cause is for the log only,
// because callers could use it to explore our network.
func (c *KeyCache) fetch(url string) (KeySet, error) {
	ctx, cancel := context.WithTimeout(c.ctx, fetchTimeout)
	defer cancel()
	document, err := c.download(ctx, url)
	if c.ctx.Err() != nil {
		return KeySet{}, errStopping
	}
	if err != nil {
		return KeySet{}, errUnreachable.filled(url).because(err)
	}
	return ReadPublished(url, document)
}

// ReadPublished reads the key set that was found at url. A document of more than 256
// KiB is refused, so the caller may truncate it anywhere beyond that. The errors are
// the same [*Refusal]s that [KeyCache.Get] returns.
func ReadPublished(url string, document []byte) (KeySet, error) {
	set, err := readBounded(document)
	switch {
	case errors.Is(err, ErrNotJSON):
		return KeySet{}, errNotJSON.filled(url).because(err)
	case err != nil:
		return set, errNoUsableKey.filled(url).because(err)
	}
	return set, nil
}

// readBounded refuses a document over the limit as if it were not JSON.
func readBounded(document []byte) (KeySet, error) {
	if len(document) > maxSet {
		return KeySet{}, notJSONError(fmt.Sprintf("is larger than %d KiB", maxSet>>10))
	}
	return ReadKeySet(document)
}

// download returns the body of a 200, truncated one byte after the limit.
func (c *KeyCache) download(ctx context.Context, url string) ([]byte, error) {
	if err := c.config.CheckURL(url); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/jwk-set+json, application/json")
	req.Header.Set("Cache-Control", "no-cache")
	req.Header.Set("User-Agent", "frontdesk")
	req.Close = true // the next fetch is an hour away
	resp, err := c.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, statusError(resp.StatusCode)
	}
	return io.ReadAll(io.LimitReader(resp.Body, maxSet+1))
}
