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

// Locks takes strong locks next to a running service (D54). Every session that comes
// after one that waits for a strong lock waits behind it. So each attempt waits only
// briefly, releases everything if it fails, and is repeated after a pause in which calls go
// on.
type Locks struct {
	DB    DB            // finds the blockers: another connection than the one that waits
	As    string        // application_name of the session that waits
	Limit time.Duration // for all attempts together; 0 means ten minutes
	Tell  func(string)  // receives the blockers, and each change of them; may be nil
}

// BriefLock is how long an attempt waits for one lock.
const BriefLock = "50ms"

// Briefly has a transaction wait only briefly for each lock.
const Briefly = `SET LOCAL lock_timeout = '` + BriefLock + `'`

const (
	lockLimit = 10 * time.Minute
	lockPause = time.Second           // between two attempts
	lockLook  = 10 * time.Millisecond // between two looks for blockers
)

// Ask calls try until it has its locks or fails for another reason. A failed try has
// released everything. It waits [Briefly], or takes only locks that no call waits behind.
// The error names the blocker when time ran out.
func (l Locks) Ask(ctx context.Context, try func(context.Context) error) error {
	limit := cmp.Or(l.Limit, lockLimit)
	var last wait
	for watch, reported := clock.Start(), ""; ; {
		blocked, err := l.attempt(ctx, &reported, try)
		if !Contended(err) {
			return err
		}
		if len(blocked.holders) > 0 { // the attempt may have been too short to see a blocker
			last = blocked
		}
		if watch.Elapsed() >= limit {
			return fmt.Errorf("given up after %s, and nothing was changed: %s: %w", limit, last, err)
		}
		gone, err := l.sendAway(ctx, blocked)
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

// Contended reports whether another session held a lock for too long, so that everything
// was rolled back and may be tried again.
func Contended(err error) bool {
	const lockNotAvailable, deadlockDetected = "55P03", "40P01"
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (refused.Code == lockNotAvailable || refused.Code == deadlockDetected)
}

// attempt calls try, and returns its blockers.
func (l Locks) attempt(ctx context.Context, reported *string, try func(context.Context) error) (last wait, err error) {
	done := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		for over := false; !over; {
			if now, err := waitOf(ctx, l.DB, l.As); err == nil && len(now.holders) > 0 {
				last = now
				l.report(reported, now.String())
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

func (l Locks) report(reported *string, text string) {
	if l.Tell != nil && text != *reported {
		l.Tell(text)
	}
	*reported = text
}

// sendAway makes an autovacuum give way. It does so only for a session that has waited
// longer than deadlock_timeout. This lock waits for an autovacuum and not for readers or
// writers, so no call waits behind it meanwhile. An autovacuum that prevents the wraparound
// of transaction ids stays.
func (l Locks) sendAway(ctx context.Context, blocked wait) (gone bool, err error) {
	if blocked.table == "" || !blocked.byPostgres() {
		return false, nil
	}
	err = l.DB.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, longerThanDeadlocks); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `LOCK TABLE `+blocked.table+` IN SHARE UPDATE EXCLUSIVE MODE`) // regclass has quoted the name
		return err
	})
	if err != nil && !Contended(err) {
		return false, fmt.Errorf("ask an autovacuum to give way: %w", err)
	}
	return err == nil, nil
}

const longerThanDeadlocks = `
SELECT set_config('lock_timeout', (500 + 1000 * extract(epoch FROM current_setting('deadlock_timeout')::interval))::int::text, true)`
