package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/commands"
	"frontdesk/domain/event"
)

// confirmLimit is the time for a confirmation. Who asks for one may have waited for
// [CallerLimit] before.
const confirmLimit = 2 * time.Second

// Confirm returns once everything that was read before is on the synchronous standbys, too.
// A commit that nobody waits for any more is visible although no standby has it: Postgres
// ends the wait with the statement. What a reader then promises somebody must first have
// got as far as a commit of the reader's own. A transaction that writes nothing would not
// wait, so this one leaves a few bytes in the write-ahead log, where there is anybody to
// wait for.
func (d DB) Confirm(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, confirmLimit)
	defer cancel()
	batch := &pgx.Batch{}
	batch.Queue(`SELECT set_config('synchronous_commit', 'on', true)`)
	batch.Queue(`SELECT pg_logical_emit_message(true, 'frontdesk', '') WHERE current_setting('synchronous_standby_names') <> ''`)
	return d.ExecBatch(ctx, batch)
}

// Confirmed are answers that are given again only when they are as safe as an append.
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
