package bearer

import (
	"context"
	"time"

	"frontdesk/domain/application"
)

// Mark says that an application had its key set read again (D94). Of one application, a
// later mark has a later instant. Its zero value is the mark of an application that never
// did.
type Mark struct {
	Application application.ID
	At          time.Time
}

// known is the latest mark of an application, and when this cache learnt of it.
type known struct {
	at    time.Time
	order uint64 // its place in the cache's order
}

// notBefore returns the place in the cache's order after which a fetch must have begun to
// count for a caller with a mark: that at which the mark was first seen here. So no clock
// of another machine is compared with one of this. The caller holds the mutex.
func (c *KeyCache) notBefore(e *entry, mark Mark) uint64 {
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

// Reread fetches the set at url even if one is held that still serves. If that succeeds,
// the new set serves. If it does not, the one before goes on serving for its time: nothing
// is lost by trying. It waits, and its errors are, as those of [KeyCache.Get].
func (c *KeyCache) Reread(ctx context.Context, url string) error {
	c.mu.Lock()
	now := c.order
	c.mu.Unlock()
	_, err := c.get(ctx, &waiter{url: url, after: now, rereads: true})
	return err
}
