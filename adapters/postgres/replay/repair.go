package replay

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
)

// Tables are big and a lock must be short, so the rows that differ are found without a
// lock. Under the lock there is no comparison: one transaction replaces the noted rows
// by their state in the log at that moment. The next comparison shows whether any are
// left.

// repair is one round of replacing the rows that differ.
type repair struct {
	*Rebuild
	s     *Shadow
	found []Difference
	held  time.Duration // the longest time that appends were blocked
}

// repairRows replaces the noted rows. If a lock that it needs is taken, it releases
// everything and retries.
func (r *Rebuild) repairRows(ctx context.Context, s *Shadow, found []Difference) (held time.Duration, err error) {
	m := &repair{Rebuild: r, s: s, found: found}
	locks := postgres.Locks{DB: postgres.On(r.Pool), As: sessionName, Limit: r.Wait, Tell: r.Tell}
	err = locks.Ask(ctx, func(ctx context.Context) error {
		if err := r.approach(ctx, s); err != nil {
			return err
		}
		return m.all(ctx)
	})
	return m.held, err
}

// all replaces all noted rows in one transaction.
func (m *repair) all(ctx context.Context) error {
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

// lock stops the consumers of the projections that differ. If one of these is
// synchronous, it also blocks appends, and returns since when.
func (m *repair) lock(ctx context.Context, tx pgx.Tx) (appends time.Time, err error) {
	for _, statement := range []string{postgres.Briefly, `SET LOCAL application_name = '` + sessionName + `'`} {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return appends, err
		}
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
	// The first lock conflicts only with autovacuum, and prevents another one: so no
	// append waits behind a lock request that waits for an autovacuum.
	for _, mode := range []string{`SHARE UPDATE EXCLUSIVE`, `SHARE`} {
		if _, err := tx.Exec(ctx, `LOCK TABLE public.events IN `+mode+` MODE`); err != nil {
			return appends, err
		}
	}
	return m.Now(), m.drain(ctx)
}

// drainLimit is the time for sequencing the last appends.
const drainLimit = 2 * time.Second

// drain brings all events into the log, so that the shadow can reach the state of the
// live tables. Appends are blocked.
func (m *repair) drain(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, drainLimit)
	defer cancel()
	return eventstore.NewSequencer(m.Pool, nil, nil, nil).Drain(ctx)
}

// replace deletes the noted rows of a live table, and copies those of the shadow.
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
		WHERE d.run = $1 AND d.of_table = $2 AND ` + strings.Join(same, ` AND `)
	for _, statement := range []string{
		`DELETE FROM ` + table + ` t USING ` + which,
		`INSERT INTO ` + table + ` SELECT t.* FROM ` + quoted(s.schema, name) + ` t, ` + which,
	} {
		if _, err := tx.Exec(ctx, statement, s.run, name); err != nil {
			return err
		}
	}
	return nil
}
