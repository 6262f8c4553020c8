package replay

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/adapters/postgres"
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
	err := m.s.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) (err error) {
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

// lock stops the consumers of the projections that differ and, if one of these
// is kept at once, appends; it says since when. It waits for nobody long:
// whoever comes meanwhile would wait as well.
func (m *mending) lock(ctx context.Context, tx pgx.Tx) (appends time.Time, err error) {
	if _, err := tx.Exec(ctx, `SET LOCAL lock_timeout = '250ms'`); err != nil {
		return appends, err
	}
	atOnce := false
	for _, d := range m.found {
		if isAtOnce(d.Projection) {
			atOnce = true
			continue
		}
		for _, statement := range []string{
			`INSERT INTO public.feed_offsets (consumer) VALUES ($1) ON CONFLICT DO NOTHING`,
			`SELECT FROM public.feed_offsets WHERE consumer = $1 FOR UPDATE`,
		} {
			if _, err := tx.Exec(ctx, statement, d.Projection); err != nil {
				return appends, err
			}
		}
	}
	if !atOnce {
		return appends, nil
	}
	if _, err := tx.Exec(ctx, `LOCK TABLE public.events IN SHARE MODE`); err != nil {
		return appends, err
	}
	return m.Now(), m.drain(ctx)
}

// drainLimit is for what the last appends have left to the sequencer.
const drainLimit = 2 * time.Second

// drain brings everything into the log, so that the shadow can come to where
// the live tables are. Nothing is appended meanwhile.
func (m *mending) drain(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, drainLimit)
	defer cancel()
	return postgres.NewSequencer(m.Pool, nil, nil, nil).Drain(ctx)
}

// replace puts the rows of the shadow that were noted in place of the live ones.
func (s *Shadow) replace(ctx context.Context, tx pgx.Tx, name string) error {
	keys, err := primaryKey(ctx, tx, name)
	if err != nil {
		return err
	}
	same := make([]string, len(keys))
	for n, key := range keys {
		same[n] = `t.` + quoted(key) + ` = k.` + quoted(key)
	}
	table := quoted(live, name)
	which := quoted(s.schema, notes) + ` d CROSS JOIN LATERAL jsonb_populate_record(NULL::` + table + `, d.key::jsonb) k
		WHERE d.of_table = $1 AND ` + strings.Join(same, ` AND `)
	for _, statement := range []string{
		`DELETE FROM ` + table + ` t USING ` + which,
		`INSERT INTO ` + table + ` SELECT t.* FROM ` + quoted(s.schema, name) + ` t, ` + which,
	} {
		if _, err := tx.Exec(ctx, statement, name); err != nil {
			return err
		}
	}
	return nil
}
