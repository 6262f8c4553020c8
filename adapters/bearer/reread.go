package bearer

import (
	"context"
	"time"

	"frontdesk/domain/application"
)

// RereadMark records that an application had its key set fetched again (D94). Later marks of
// one application have later instants. The zero value is the mark of an application
// that never did.
type RereadMark struct {
	Application application.ID
	At          time.Time
}

// known is the latest mark of an application, and when this cache first saw it.
type known struct {
	at    time.Time
	order uint64 // its number in the cache's order
}

// notBefore returns the number in the cache's order after which a fetch must have begun
// for a caller with a mark: that at which the mark was first seen here. So the clocks
// of two machines are never compared. The caller holds the mutex.
func (c *KeyCache) notBefore(e *entry, mark RereadMark) uint64 {
	if mark.At.IsZero() {
		return 0
	}
	latest := e.marks[mark.Application]
	if !mark.At.After(latest.at) {
		return latest.order
	}
	c.order++
	latest = known{mark.At, c.order}
	if e.marks == nil {
		e.marks = map[application.ID]known{}
	}
	e.marks[mark.Application] = latest
	return latest.order
}

// Reread fetches the set at url even if the current one has not expired. If the fetch
// fails, the current one stays in use: trying loses nothing. It waits like
// [KeyCache.Get], with the same errors.
func (c *KeyCache) Reread(ctx context.Context, url string) error {
	c.mu.Lock()
	now := c.order
	c.mu.Unlock()
	_, err := c.get(ctx, &waiter{url: url, after: now, rereads: true})
	return err
}
