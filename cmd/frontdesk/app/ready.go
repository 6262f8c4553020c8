package app

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"frontdesk/adapters/postgres"
)

const (
	readyLimit = 2 * time.Second // for the database to answer
	readyTries = 3               // failed checks in a row until a process is not ready
)

// readiness counts the checks that have failed in a row. Each request of `/readyz` is a
// check, so without requests nothing is checked. A single failure takes no process out,
// because all of them share the one database (D48).
type readiness struct{ failed atomic.Int32 }

// check returns whether this process is ready, and the current failure, so that a single
// request shows it. A schema of another program, a sequence with a fault and a wrong clock
// count at once: they do not pass on their own.
func (r *readiness) check(ctx context.Context, serves func(context.Context) error) (ready bool, failed error) {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	if failed = serves(ctx); failed == nil {
		r.failed.Store(0)
		return true, nil
	}
	_, otherSchema := errors.AsType[*postgres.SchemaError](failed)
	_, faulty := errors.AsType[*postgres.SequenceError](failed)
	_, wrong := errors.AsType[*postgres.ClockError](failed)
	return r.failed.Add(1) < readyTries && !otherSchema && !faulty && !wrong, failed
}

// serves checks whether calls would be served. They would if the machine's clock is right, and
// the database answers, takes changes with the required durability and draws positions
// correctly. Its schema must be this program's, or a newer one that serves it.
//
// The lag of the feed and a full disk do not matter here: both are metrics.
func (a *App) serves(ctx context.Context) error {
	if err := a.clock.Err(); err != nil {
		return err
	}
	if err := postgres.CheckSchema(ctx, a.background); err != nil {
		return err
	}
	if err := postgres.CheckWritable(ctx, a.background); err != nil {
		return err
	}
	if err := postgres.CheckSequence(ctx, a.background); err != nil {
		return err
	}
	return postgres.CheckDurability(ctx, a.background, a.config.Durability)
}
