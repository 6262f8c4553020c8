package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
)

// Locks gets strong locks beside a service that goes on (D54). Everybody who comes
// after a session that waits for a strong lock waits behind it. So each attempt asks
// only briefly, lets everything go if it was in vain, and is made again after a pause in
// which calls go on.
type Locks struct {
	DB    DB            // sees who is in the way: another connection than the one that asks
	As    string        // application_name of the session that asks
	Limit time.Duration // for all attempts together; 0 means ten minutes
	Tell  func(string)  // is told who is in the way, and of each change; nil tells nobody
}

// BriefLock is how long an attempt waits for one lock.
const BriefLock = "50ms"

// Briefly has a transaction wait only briefly for each lock.
const Briefly = `SET LOCAL lock_timeout = '` + BriefLock + `'`

const (
	lockLimit = 10 * time.Minute
	lockPause = time.Second           // between two attempts
	lockLook  = 10 * time.Millisecond // between two looks at who is in the way
)

// Ask calls try until it has got its locks or failed for another reason. A failed try
// has let go of everything. It waits [Briefly], or takes only locks that no call
// waits behind. The error says who was in the way when time ran out.
func (l Locks) Ask(ctx context.Context, try func(context.Context) error) error {
	limit := cmp.Or(l.Limit, lockLimit)
	var last wait
	for watch, told := clock.Start(), ""; ; {
		seen, err := l.attempt(ctx, &told, try)
		if !Contended(err) {
			return err
		}
		if len(seen.holders) > 0 { // the attempt may have been too short to see anybody
			last = seen
		}
		if watch.Elapsed() >= limit {
			return fmt.Errorf("given up after %s, and nothing was changed: %s: %w", limit, last, err)
		}
		gone, err := l.sendAway(ctx, seen)
		if err != nil {
			return err
		}
		if !gone { // or the next autovacuum might be there first
			background.Sleep(ctx, lockPause)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", last, ctx.Err())
		}
	}
}

// Contended reports whether somebody else had a lock for too long, so that everything
// was undone and may be tried again.
func Contended(err error) bool {
	const lockNotAvailable, deadlockDetected = "55P03", "40P01"
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (refused.Code == lockNotAvailable || refused.Code == deadlockDetected)
}

// attempt calls try, and returns who was in its way.
func (l Locks) attempt(ctx context.Context, told *string, try func(context.Context) error) (last wait, err error) {
	done := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		for over := false; !over; {
			if now, err := waitOf(ctx, l.DB, l.As); err == nil && len(now.holders) > 0 {
				last = now
				l.tell(told, now.String())
			}
			background.Wait(ctx, lockLook, done)
			over = background.Notified(done) || ctx.Err() != nil
		}
	})
	err = try(ctx)
	close(done)
	watcher.Wait()
	return last, err
}

func (l Locks) tell(told *string, text string) {
	if l.Tell != nil && text != *told {
		l.Tell(text)
	}
	*told = text
}

// sendAway makes an autovacuum give way. It does so only for somebody who has waited for
// longer than deadlock_timeout. This lock waits for an autovacuum and for nobody who
// reads or writes, so no call waits behind it meanwhile. An autovacuum that prevents the
// wraparound of transaction ids stays.
func (l Locks) sendAway(ctx context.Context, seen wait) (gone bool, err error) {
	if seen.table == "" || !seen.byPostgres() {
		return false, nil
	}
	err = l.DB.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, longerThanDeadlocks); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `LOCK TABLE `+seen.table+` IN SHARE UPDATE EXCLUSIVE MODE`) // regclass has quoted the name
		return err
	})
	if err != nil && !Contended(err) {
		return false, fmt.Errorf("ask an autovacuum to give way: %w", err)
	}
	return err == nil, nil
}

const longerThanDeadlocks = `
SELECT set_config('lock_timeout', (500 + 1000 * extract(epoch FROM current_setting('deadlock_timeout')::interval))::int::text, true)`
