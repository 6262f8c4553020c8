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
// of the live ones, a thousand in a transaction, as the log has them by then.
// Whether that was all, the next comparison says.

// mending is one round of putting right.
type mending struct {
	*Rebuild
	s     *Shadow
	found []Difference
	held  time.Duration // how long appends have waited, at the longest
}

// mendAtOnce is how many rows are put right while appends wait.
const mendAtOnce = 1000

// mend puts right the rows that were noted.
func (r *Rebuild) mend(ctx context.Context, s *Shadow, found []Difference) (held time.Duration, err error) {
	if err := r.approach(ctx, s); err != nil {
		return 0, err
	}
	m := &mending{Rebuild: r, s: s, found: found}
	err = m.all(ctx)
	return m.held, err
}

func (m *mending) all(ctx context.Context) error {
	var last int64
	if err := m.s.conn.QueryRow(ctx, `SELECT max(n) FROM `+quoted(m.s.schema, notes)).Scan(&last); err != nil {
		return fmt.Errorf("count notes: %w", err)
	}
	for from := int64(0); from < last; {
		to := min(from+mendAtOnce, last)
		err := m.patiently(ctx, from, to)
		if isCode(err, uniqueViolation) && to < last {
			to = last // a row that comes later is in the way
			err = m.patiently(ctx, from, to)
		}
		if err != nil {
			return err
		}
		from = to
	}
	return nil
}

const (
	lockNotAvailable = "55P03"
	uniqueViolation  = "23505"
	lockAttempts     = 60
	lockPause        = 500 * time.Millisecond
)

func isCode(err error, code string) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refused.Code == code
}

// patiently asks again for a lock that is not to be had.
func (m *mending) patiently(ctx context.Context, from, to int64) error {
	for attempt := 1; ; attempt++ {
		err := m.some(ctx, from, to)
		if !isCode(err, lockNotAvailable) || attempt == lockAttempts {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockPause):
		}
	}
}

// some puts right what is in the notes after the one and up to the other.
func (m *mending) some(ctx context.Context, from, to int64) error {
	var locked time.Time
	err := pgx.BeginFunc(ctx, m.s.conn, func(tx pgx.Tx) (err error) {
		if locked, err = m.lock(ctx, tx); err != nil {
			return err
		}
		if _, err := m.catchUp(ctx, tx, m.s); err != nil {
			return err
		}
		for _, d := range m.found {
			if err := m.s.replace(ctx, tx, d.Table, from, to); err != nil {
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
