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
	RebuildLock   = 0x726562756c64 // "rebuld": who rebuilds read models
	RetentionLock = 0x72657461696e // "retain": who takes out what is old
)

// Alone is an advisory lock that the holder has to itself. It belongs to a transaction
// on a connection of its own, so that it works through a pooler and ends with the
// process.
type Alone struct {
	tx  pgx.Tx
	key int64
}

// NewAlone begins the transaction on a connection, or on one of a pool. The sessions of
// a name are known by it while they hold the lock.
func NewAlone(ctx context.Context, on interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}, key int64, as string) (*Alone, error) {
	tx, err := on.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	a := &Alone{tx, key}
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
func (a *Alone) Try(ctx context.Context) (held bool, err error) {
	err = a.tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock($1)`, pgx.QueryExecModeSimpleProtocol, a.key).Scan(&held)
	if err != nil {
		return false, fmt.Errorf("lock: %w", err)
	}
	return held, nil
}

// Wait takes the lock when it is free, and tells whom it waits for. It asks again and
// again, because a blocked statement would have a snapshot.
func (a *Alone) Wait(ctx context.Context, db projections.Querier, tell func(Blocker)) error {
	for told := (Blocker{}); ; {
		held, err := a.Try(ctx)
		if err != nil || held {
			return err
		}
		if now, err := a.Holder(ctx, db); err == nil && now != told && now.PID != 0 {
			tell(now)
			told = now
		}
		background.Sleep(ctx, 50*time.Millisecond)
		if ctx.Err() != nil {
			return fmt.Errorf("wait for %s: %w", told, ctx.Err())
		}
	}
}

// Holder says who has the lock, and returns the zero Blocker if nobody has.
func (a *Alone) Holder(ctx context.Context, db projections.Querier) (Blocker, error) {
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
func (a *Alone) Release(ctx context.Context) error {
	if err := a.tx.Commit(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("the lock was lost on the way: %w", err)
	}
	return nil
}
