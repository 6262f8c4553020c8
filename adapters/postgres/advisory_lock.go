package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/background"
	"frontdesk/projections"
)

// The advisory locks that one session of a database at a time holds. This program uses
// advisory locks for nothing else.
const (
	migrationLock = 0x66726f6e74   // "front"
	RebuildLock   = 0x726562756c64 // "rebuld": rebuilds of read models
	RetentionLock = 0x72657461696e // "retain": removal of old rows
)

// AdvisoryLock is an exclusive advisory lock. It belongs to a transaction on a connection of
// its own, so that it works through a pooler and ends with the process.
type AdvisoryLock struct {
	tx  pgx.Tx
	key int64
}

// NewAdvisoryLock begins the transaction on a connection, or on one of a pool. Its
// application_name is as, which identifies the holder.
func NewAdvisoryLock(ctx context.Context, on interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}, key int64, as string) (*AdvisoryLock, error) {
	tx, err := on.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	a := &AdvisoryLock{tx, key}
	for _, statement := range []string{`SET LOCAL idle_in_transaction_session_timeout = 0`, `SET LOCAL application_name = '` + as + `'`} {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return nil, errors.Join(fmt.Errorf("lock: %w", err), a.Release(ctx))
		}
	}
	return a, nil
}

// Try takes the lock if it is free, and does not wait.
//
// It speaks the simple protocol, because the extended one keeps a snapshot while the
// transaction is idle. A CREATE INDEX CONCURRENTLY would wait for that snapshot, and
// VACUUM could not clear up behind it.
func (a *AdvisoryLock) Try(ctx context.Context) (held bool, err error) {
	err = a.tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock($1)`, pgx.QueryExecModeSimpleProtocol, a.key).Scan(&held)
	if err != nil {
		return false, fmt.Errorf("lock: %w", err)
	}
	return held, nil
}

// Wait takes the lock when it is free, and passes each holder that it waits for to report.
// It polls, because a blocked statement would have a snapshot.
func (a *AdvisoryLock) Wait(ctx context.Context, db projections.Querier, report func(Blocker)) error {
	for reported := (Blocker{}); ; {
		held, err := a.Try(ctx)
		if err != nil || held {
			return err
		}
		if now, err := a.Holder(ctx, db); err == nil && now != reported && now.PID != 0 {
			report(now)
			reported = now
		}
		background.Sleep(ctx, 50*time.Millisecond)
		if ctx.Err() != nil {
			return fmt.Errorf("wait for %s: %w", reported, ctx.Err())
		}
	}
}

// Holder returns the holder of the lock, and the zero Blocker if it is free.
func (a *AdvisoryLock) Holder(ctx context.Context, db projections.Querier) (Blocker, error) {
	found, err := describe(ctx, db, `
		SELECT pid FROM pg_locks
		WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND (classid::bigint << 32) + objid::bigint = $1
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`, a.key)
	if err != nil || len(found) == 0 {
		return Blocker{}, err
	}
	return found[0], nil
}

// Release gives the lock back. It is an error if the lock was lost before, because its
// connection had ended.
func (a *AdvisoryLock) Release(ctx context.Context) error {
	if err := a.tx.Commit(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("the lock was lost on the way: %w", err)
	}
	return nil
}
