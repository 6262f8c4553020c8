package keyring

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/background"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
)

// The database fences appends, whatever a process remembers. It does not fence reads: a key
// in memory would still open values that its holder's erasure has hidden. So each process
// reads the erasures whenever the log has grown.

const (
	evictPace   = 100 * time.Millisecond // between two looks at least, however fast the log grows
	evictAtMost = time.Minute            // and at most, although the log does not grow
	evictRetry  = time.Second            // after a look that fails
	evictSkew   = 5 * time.Minute        // by which the clocks of two processes may differ
)

// Follow forgets the keys of erased holders, as the log grows, until ctx ends.
func (k *Keyring) Follow(ctx context.Context, grown *background.Broadcast, log *slog.Logger) {
	var since time.Time
	background.Loop{
		Every: evictAtMost, Pace: evictPace, Wake: grown.Next, Retry: evictRetry, Fails: "cannot read erasures", Log: log,
		Do: func(ctx context.Context) (err error) {
			since, err = k.Evict(ctx, since)
			return err
		},
	}.Run(ctx)
}

const erasedSince = `SELECT tenant, kind, holder, erased_at FROM erasures WHERE erased_at >= $1`

// Evict forgets the keys of holders erased since an instant. It returns the instant from
// which to read next time, which an error leaves as it was.
func (k *Keyring) Evict(ctx context.Context, since time.Time) (time.Time, error) {
	rows, _ := k.DB.Query(ctx, erasedSince, since)
	last := since
	gone, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (o owner, err error) {
		var at time.Time
		err = row.Scan(&o.tenant, &o.holder.Kind, &o.holder.ID, &at)
		if at = at.Add(-evictSkew); at.After(last) {
			last = at
		}
		return o, err
	})
	if err != nil {
		return since, fmt.Errorf("look who is erased: %w", err)
	}
	k.forget(gone)
	return last, nil
}

// ForgetErased drops keys that an erasure in a practice has destroyed.
func (k *Keyring) ForgetErased(tenant string, gone []erasure.Key) {
	owners := make([]owner, len(gone))
	for n, key := range gone {
		owners[n] = owner{tenant, event.Holder{Kind: key.Kind, ID: key.Holder}}
	}
	k.forget(owners)
}

// forget drops the keys of owners who are erased.
func (k *Keyring) forget(gone []owner) {
	if k != nil && len(gone) > 0 {
		k.known.forget(gone)
	}
}
