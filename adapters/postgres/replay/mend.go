package replay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Tables are big and a lock must be short. So what differs is found without
// one, and nothing is compared under it: rows that were noted are put in place
// of the live ones, in one transaction, as the log has them by then. Whether
// that was all, the next comparison says.

// mending is one round of putting right.
type mending struct {
	*Rebuild
	s     *Shadow
	found []Difference
	held  time.Duration // how long appends have waited
}

// mend puts right the rows that were noted, and asks again for a lock that is
// not to be had.
func (r *Rebuild) mend(ctx context.Context, s *Shadow, found []Difference) (held time.Duration, err error) {
	m := &mending{Rebuild: r, s: s, found: found}
	for attempt := 1; ; attempt++ {
		if err := r.approach(ctx, s); err != nil {
			return m.held, err
		}
		err := m.all(ctx)
		if !unavailable(err) || attempt == lockAttempts {
			return m.held, err
		}
		select {
		case <-ctx.Done():
			return m.held, ctx.Err()
		case <-time.After(lockPause):
		}
	}
}

const (
	lockAttempts = 60
	lockPause    = 500 * time.Millisecond
)

// unavailable tells a lock that somebody else has.
func unavailable(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refused.Code == "55P03"
}

// all puts everything right in one transaction.
func (m *mending) all(ctx context.Context) error {
	var locked time.Time
	err := pgx.BeginFunc(ctx, m.s.conn, func(tx pgx.Tx) (err error) {
		if locked, err = m.lock(ctx, tx); err != nil {
			return err
		}
		if _, err := m.catchUp(ctx, tx, m.s); err != nil {
			return err
		}
		for _, d := range m.found {
			if err := m.s.replace(ctx, tx, d.Table); err != nil {
				return fmt.Errorf("table %s: %w", d.Table, err)
			}
		}
		return nil
	})
	if !locked.IsZero() {
		m.held = max(m.held, m.Now().Sub(locked))
	}
	return err
}
