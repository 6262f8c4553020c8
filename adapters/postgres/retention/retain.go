package retention

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// Retain creates partitions, and archives those that are old enough. It needs the
// rights of the database's owner.
type Retain struct {
	Pool  *pgxpool.Pool
	Store interface {
		Load(ctx context.Context, stream event.Stream) ([]event.Event, error)
		Append(ctx context.Context, changes ...event.Change) ([]event.Recorded, error)
	}
	Keep  Period // the retention period; zero for ever
	Dir   string // folder of the archives; needed if anything is to be archived
	Now   func() time.Time
	Clock *postgres.Clock // nothing is archived while it is wrong; nil for always right
	Wait  time.Duration   // for a lock that others hold; 0 means ten minutes
	Tell  func(string)    // receives the holder's description
	Say   func(string)    // receives a report of each action

	Unproved bool // also archives lines without a signed checkpoint

	scanned int64            // bytes that may be scanned under a lock; 0 means [briefScan]
	reached func(step) error // lets a test stop at a step; nil in the program
}

// step is a completed, durable step.
type step string

const (
	bounded  step = "bounded"  // the default partition refuses lines outside its future bounds
	attached step = "attached" // a partition exists
	aside    step = "aside"    // the file is on disk, under a temporary name
	detached step = "detached" // a partition is no longer part of its table
	written  step = "written"  // the file is on disk
	listed   step = "listed"   // so is the manifest
	logged   step = "logged"   // the event is stored
	dropped  step = "dropped"  // the partition's table is gone
)

func (r *Retain) pass(s step) error {
	if r.reached == nil {
		return nil
	}
	return r.reached(s)
}

// sessionName is the application_name of a run's sessions while they wait for locks.
const sessionName = "frontdesk retain"

// Run does all the work that is due. A second run at the same time is refused with the
// holder of the lock. Detached partitions are written before any other is detached.
func (r *Retain) Run(ctx context.Context) error {
	if err := r.Clock.Err(); err != nil {
		return err
	}
	lock, err := postgres.NewAdvisoryLock(ctx, r.Pool, postgres.RetentionLock, sessionName)
	if err != nil {
		return err
	}
	return errors.Join(r.runLocked(ctx, lock), lock.Release(ctx))
}

func (r *Retain) runLocked(ctx context.Context, lock *postgres.AdvisoryLock) error {
	held, err := lock.Try(ctx)
	if err != nil {
		return err
	}
	if !held {
		return r.refusal(ctx, lock)
	}
	return r.all(ctx)
}

func (r *Retain) refusal(ctx context.Context, lock *postgres.AdvisoryLock) error {
	other, err := lock.Holder(ctx, r.db())
	if err != nil {
		return err
	}
	return fault.New(fault.Refused, "retain-running", fmt.Sprintf("Another retain is running: %s. Wait until it has ended, or end it.", other))
}

func (r *Retain) all(ctx context.Context) error {
	if err := r.indexes(ctx); err != nil {
		return err
	}
	for _, rec := range records {
		if err := r.ahead(ctx, rec); err != nil {
			return fmt.Errorf("make partitions of %s: %w", rec.table, err)
		}
	}
	if err := r.finish(ctx); err != nil {
		return err
	}
	if err := r.rewrite(ctx); err != nil {
		return err
	}
	if r.Keep.Forever() {
		return nil
	}
	for _, rec := range records {
		if err := r.expire(ctx, rec); err != nil {
			return fmt.Errorf("archive %s: %w", rec.table, err)
		}
	}
	return r.forget(ctx)
}

func (r *Retain) db() postgres.DB { return postgres.On(r.Pool) }

// asOwner makes the owner own all new objects, even if a superuser runs this (D51).
const asOwner = `SELECT set_config('role', rolname, true) FROM pg_class JOIN pg_roles ON pg_roles.oid = relowner WHERE pg_class.oid = to_regclass('access_record')`

// change makes a change that needs strong locks for a moment.
func (r *Retain) change(ctx context.Context, do func(pgx.Tx) error) error {
	locks := postgres.Locks{DB: r.db(), As: sessionName, Limit: r.Wait, Tell: r.Tell}
	return locks.Ask(ctx, func(ctx context.Context) error {
		return r.db().InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
			if err := execute(ctx, tx, postgres.Briefly, `SET LOCAL application_name = '`+sessionName+`'`, asOwner); err != nil {
				return err
			}
			return do(tx)
		})
	})
}

func execute(ctx context.Context, tx pgx.Tx, statements ...string) error {
	for _, statement := range statements {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
