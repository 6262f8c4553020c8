package postgres

import (
	"context"
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
	gaps    []int64  // open when it last looked
	writers []string // who was writing then, and is still
	looked  time.Time
}

const watchEvery = 250 * time.Millisecond

// Whoever inserts into events holds this lock since before the position was
// drawn, and until after the row can be seen.
const writersNow = `
SELECT coalesce(array_agg(DISTINCT virtualtransaction), '{}') FROM pg_locks
WHERE relation = 'events'::regclass AND mode = 'RowExclusiveLock'
	AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

// settle places a batch and strikes out the gaps that can no longer be filled:
// all who were writing when the watch last looked have ended since, and a
// look at the events that began after that has not found them.
func (w *watch) settle(ctx context.Context, tx pgx.Tx, open []int64, place func() ([]int64, error)) error {
	if len(open) == 0 || time.Since(w.looked) < watchEvery {
		_, err := place()
		return err
	}
	var writers []string
	if err := tx.QueryRow(ctx, writersNow).Scan(&writers); err != nil {
		return err
	}
	left, err := place()
	if err != nil {
		return err
	}
	w.looked = time.Now()
	if w.writers = common(w.writers, writers); len(w.writers) > 0 {
		return nil
	}
	dead := common(w.gaps, left)
	w.gaps, w.writers = open, writers
	if len(dead) == 0 {
		return nil
	}
	_, err = tx.Exec(ctx, `UPDATE sequencer SET gaps = ARRAY (SELECT unnest(gaps) EXCEPT SELECT unnest($1::bigint[]))`, dead)
	return err
}

// common is what is in both, in the order of a.
func common[T comparable](a, b []T) []T {
	in := make(map[T]bool, len(b))
	for _, x := range b {
		in[x] = true
	}
	return slices.DeleteFunc(slices.Clone(a), func(x T) bool { return !in[x] })
}
