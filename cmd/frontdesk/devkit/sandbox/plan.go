package sandbox

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// calendar is the practice's clock while its past is made up: it goes on from act to act, so
// that the log of a seeded practice is in the order of its times.
type calendar struct {
	mu sync.Mutex
	at time.Time
}

// Now returns the time of the current acts.
func (c *calendar) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// to moves the calendar on, and never back.
func (c *calendar) to(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at.After(c.at) {
		c.at = at
	}
}

// act is something that people of the practice do at a time.
type act struct {
	at time.Time
	do func(context.Context) error
}

// plan is what a practice does in a stretch of time. Acts of the same instant are done
// together, so acts that follow on each other have different times.
type plan struct {
	calendar *calendar
	acts     []act
}

// together is how many acts of an instant are under way at most: they share commits.
const together = 32

func (p *plan) add(at time.Time, do func(context.Context) error) {
	p.acts = append(p.acts, act{at, do})
}

// run does everything that is planned, and moves the calendar with it.
func (p *plan) run(ctx context.Context) error {
	slices.SortStableFunc(p.acts, func(a, b act) int { return a.at.Compare(b.at) })
	for len(p.acts) > 0 {
		now := p.acts[0].at
		later := slices.IndexFunc(p.acts, func(a act) bool { return a.at.After(now) })
		if later < 0 {
			later = len(p.acts)
		}
		p.calendar.to(now)
		if err := doTogether(ctx, p.acts[:later]); err != nil {
			return err
		}
		p.acts = p.acts[later:]
	}
	return nil
}

func doTogether(ctx context.Context, acts []act) error {
	hands, ctx := errgroup.WithContext(ctx)
	hands.SetLimit(together)
	for _, a := range acts {
		hands.Go(func() error { return a.do(ctx) })
	}
	return hands.Wait()
}
