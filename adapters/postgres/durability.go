package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// Durability is what a deployment demands before a call may be answered.
type Durability string

// The durabilities. Commits wait for the disk under either.
const (
	Asynchronous Durability = "asynchronous" // nothing of standbys: a failover may lose what none has received
	Synchronous  Durability = "synchronous"  // a standby that holds each commit before it is answered
)

// Reasons for which a primary does not offer synchronous durability, with the fix.
var (
	errNoStandby = errors.New("no synchronous standby is streaming from the primary, and --durability=synchronous demands one: " +
		"start it, and name it in synchronous_standby_names")
	errStandbysHidden = errors.New("the owner of the database may not see standbys, and --durability=synchronous has to: " +
		"as a superuser, GRANT pg_read_all_stats TO the owner")
)

// CheckDurability returns nil if the primary offers the durability now. The serving
// role may call it.
func CheckDurability(ctx context.Context, db projections.Querier, demanded Durability) error {
	if demanded != Synchronous {
		return nil
	}
	var standbys *int64
	if err := db.QueryRow(ctx, `SELECT synchronous_standbys()`).Scan(&standbys); err != nil {
		return fmt.Errorf("look for synchronous standbys: %w", err)
	}
	switch {
	case standbys == nil:
		return errStandbysHidden
	case *standbys == 0:
		return errNoStandby
	}
	return nil
}

// confirmLimit is the time for a confirmation. Its caller may have waited for [CallerLimit]
// before.
const confirmLimit = 2 * time.Second

// Confirm returns once everything that was read before is also on the synchronous standbys.
// A commit whose client has cancelled the wait is visible although no standby has it.
// Before a reader promises such a value, it must wait for a commit of its own. A
// transaction that writes nothing would not wait, so this one writes a few bytes to the
// write-ahead log, if there are synchronous standbys.
func (d DB) Confirm(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, confirmLimit)
	defer cancel()
	batch := &pgx.Batch{}
	batch.Queue(`SELECT set_config('synchronous_commit', 'on', true)`)
	batch.Queue(`SELECT pg_logical_emit_message(true, 'frontdesk', '') WHERE current_setting('synchronous_standby_names') <> ''`)
	return d.ExecBatch(ctx, batch)
}

// DurableResponses are stored answers that are repeated only when they are as durable as an append.
type DurableResponses struct {
	commands.IdempotentResponses
	DB DB
}

// Response returns an answer, after it has been confirmed.
func (r DurableResponses) Response(ctx context.Context, tenant string, key event.Digest, after time.Time) (commands.Response, error) {
	response, err := r.IdempotentResponses.Response(ctx, tenant, key, after)
	if err != nil || response == (commands.Response{}) {
		return response, err
	}
	return response, r.DB.Confirm(ctx)
}
