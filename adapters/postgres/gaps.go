package postgres

import (
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// A position may never be filled: its append was refused, or its process died.
// The sequencer would look for it for ever, so a watch finds out when nobody is
// left who could fill it. Losing an event because it came late is no option, and
// no age proves anything; the locks do.

// watch follows gaps until their writers are gone. The zero watch is ready.
type watch struct {
	open    []int64  // after the last batch
	gaps    []int64  // open when it last looked who writes
	writers []string // who was writing then, and is still
	dead    []int64  // to be struck out
	looked  time.Time
}

const watchEvery = 250 * time.Millisecond

// Whoever inserts into events holds this lock since before the position was
// drawn, and until after the row can be seen.
const writersNow = `
SELECT coalesce(array_agg(DISTINCT virtualtransaction), '{}') FROM pg_locks
WHERE relation = 'events'::regclass AND mode = 'RowExclusiveLock'
	AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

const strikeOut = `
UPDATE sequencer SET gaps = ARRAY (SELECT unnest(gaps) EXCEPT SELECT unnest($1::bigint[]))
WHERE current_setting('frontdesk.sequencer', true) = 'elected'`

// queue asks who writes, if it is time to, before the batch looks at the events.
// What it returns is told afterwards which gaps the batch has left open.
func (w *watch) queue(batch *pgx.Batch) (looked func(left []int64)) {
	if len(w.dead) > 0 {
		batch.Queue(strikeOut, w.dead)
	}
	if len(w.open) == 0 || time.Since(w.looked) < watchEvery {
		return func(left []int64) { w.open, w.dead = left, nil }
	}
	var writers []string
	batch.Queue(writersNow).QueryRow(func(row pgx.Row) error { return row.Scan(&writers) })
	return func(left []int64) { w.judge(writers, left) }
}

// judge finds the gaps that can no longer be filled: all who were writing when
// the watch last looked have ended since, and a look at the events that began
// after that has not found them.
func (w *watch) judge(writers []string, left []int64) {
	w.looked, w.dead = time.Now(), nil
	if w.writers = common(w.writers, writers); len(w.writers) == 0 {
		w.dead = common(w.gaps, left)
		w.gaps, w.writers = w.open, writers
	}
	w.open = left
}

// common is what is in both, in the order of a.
func common[T comparable](a, b []T) []T {
	in := make(map[T]bool, len(b))
	for _, x := range b {
		in[x] = true
	}
	return slices.DeleteFunc(slices.Clone(a), func(x T) bool { return !in[x] })
}
