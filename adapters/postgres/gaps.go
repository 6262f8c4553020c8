package postgres

import (
	"time"

	"github.com/jackc/pgx/v5"
)

// A position may never be filled: its append was refused, or its process died.
// The sequencer would look for it for ever, so it finds out when nobody is left
// who could fill it. Losing an event because it came late is no option, and no
// age proves anything; the locks do.

// watchGaps takes three looks, at one of which all who were writing at the one
// before must have ended: what they wrote is visible to the statements that
// follow, and what these have not found by the next look never will be.
//
// Whoever inserts into events holds its lock since before the position was drawn,
// and until after the row can be seen. What a prepared transaction holds may be
// held under another name after a crash, so nothing is judged while there is one;
// nor where the following statements see no more than this one. All of it is kept
// in the row, so that it goes back in time with the events when they do.
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

// A gapWatch is when one run of a sequencer looks at the gaps. A new one does
// not know whether there are any, so it looks with its first batch.
type gapWatch struct {
	none   bool // the last batch left no gap
	looked time.Time
}

// queue adds a look at the gaps to a batch, when there may be any and it is time.
func (w *gapWatch) queue(batch *pgx.Batch) {
	if w.none || time.Since(w.looked) < watchEvery {
		return
	}
	w.looked = time.Now()
	batch.Queue(watchGaps)
}
