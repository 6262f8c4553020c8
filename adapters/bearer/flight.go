package bearer

import "time"

// flight is one fetch, shared by the callers who wait for it. Its other fields
// are there once done is closed.
type flight struct {
	done  chan struct{}
	set   KeySet
	err   error
	began uint64 // its place in the cache's order
}

func (f *flight) landed() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

// board is the flight that serves url, now or when it lands, opened when there
// is none; and the caller's place in the order.
func (c *KeyCache) board(url string) (shared *flight, came uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.order++
	came = c.order
	e := c.entry(url)
	if e.flying || c.config.Now().Before(e.until) {
		return e.flight, came
	}
	shared = &flight{done: make(chan struct{})}
	if c.ctx.Err() != nil {
		c.order++
		shared.err, shared.began = errUnreachable.with(url).because(errClosed), c.order
		close(shared.done)
		return shared, came
	}
	e.flight, e.flying = shared, true
	c.flights.Go(func() { c.fly(url, e) })
	return shared, came
}

// fly waits for the URL's pace, fetches, and tells everybody.
func (c *KeyCache) fly(url string, e *entry) {
	c.waitForPace(e)
	c.begin(e)
	set, err := c.fetch(url)
	c.land(e, set, err)
}

// waitForPace keeps the starts of fetches of a failing URL apart.
func (c *KeyCache) waitForPace(e *entry) {
	c.mu.Lock()
	wait := min(pace, e.started.Add(pace).Sub(c.config.Now())) // also when the clock was set back
	failing := e.failing
	c.mu.Unlock()
	if !failing || wait <= 0 {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.ctx.Done():
	}
}

func (c *KeyCache) begin(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.order++
	e.flight.began = c.order
	e.started = c.config.Now()
}

func (c *KeyCache) land(e *entry, set KeySet, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.flying, e.failing = false, err != nil
	if err == nil {
		e.until = c.config.Now().Add(c.config.TTL)
	}
	e.flight.set, e.flight.err = set, err
	close(e.flight.done)
}
