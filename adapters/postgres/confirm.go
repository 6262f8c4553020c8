package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/commands"
	"frontdesk/domain/event"
)

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

// Confirmed are stored answers that are repeated only when they are as durable as an append.
type Confirmed struct {
	commands.Answers
	DB DB
}

// Answer returns an answer, after it has been confirmed.
func (c Confirmed) Answer(ctx context.Context, tenant string, key event.Digest, after time.Time) (commands.Answer, error) {
	answer, err := c.Answers.Answer(ctx, tenant, key, after)
	if err != nil || answer == (commands.Answer{}) {
		return answer, err
	}
	return answer, c.DB.Confirm(ctx)
}
