package postgres

import (
	"time"

	"github.com/jackc/pgx/v5"
)

// A gap is a position that the sequencer has passed without seeing an event. It may
// stay empty for ever, because its append was refused or its process died. So the
// sequencer closes a gap once nobody can fill it any more. How old a gap is proves
// nothing, and a late event must not be lost: only the locks show who is writing.

// watchGaps moves each gap through three looks. The first notes who holds the lock
// that INSERT takes on events: only they can still fill the gap. Once a look finds
// that all of them have ended, the gap is condemned: their rows can now be seen, so
// the statements of this transaction and the next ones would find the event. If the
// next look finds the gap still open, it is closed.
//
// The lock is proof, because a writer holds it from before it draws a position until
// after its row can be seen. Two cases prove nothing, and the gaps wait: while a
// prepared transaction holds the lock, since a crash changes the name it is held
// under; and where the isolation level gives later statements the same snapshot. All
// that is known of writers is kept in the sequencer's row, so that after a restore
// it is as old as the events are.
const watchGaps = `
UPDATE sequencer SET
	gaps = ARRAY (SELECT unnest(gaps) EXCEPT SELECT unnest(condemned)),
	condemned = CASE WHEN busy THEN '{}' ELSE watched END,
	watched = CASE WHEN busy THEN watched ELSE gaps END,
	writers = CASE WHEN busy THEN ARRAY (SELECT unnest(sequencer.writers) INTERSECT SELECT unnest(now.writers)) ELSE now.writers END
FROM (
	SELECT coalesce(array_agg(virtualtransaction), '{}') AS writers,
		coalesce(bool_or(pid IS NULL OR virtualtransaction = ANY ((SELECT writers FROM sequencer)::text[])), false) AS busy
	FROM pg_locks
	WHERE relation = 'events'::regclass AND mode = 'RowExclusiveLock'
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) now
WHERE current_setting('frontdesk.sequencer', true) = 'elected' AND current_setting('transaction_isolation') = 'read committed'`

const watchEvery = 250 * time.Millisecond

// gapWatch says when one run of a sequencer looks at the gaps. A new one does not
// know whether there are any, so it looks with its first batch.
type gapWatch struct {
	none   bool // the last batch left no gap
	looked time.Time
}

// queue adds a look at the gaps to a batch, if there may be gaps and it is time.
func (w *gapWatch) queue(batch *pgx.Batch) {
	if w.none || time.Since(w.looked) < watchEvery {
		return
	}
	w.looked = time.Now()
	batch.Queue(watchGaps)
}
