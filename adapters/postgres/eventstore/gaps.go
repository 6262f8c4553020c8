package eventstore

import (
	"time"

	"frontdesk/adapters/clock"
)

// A gap is a position that the sequencer has passed without seeing an event. It may
// stay empty for ever, because its append was refused or its process died.
// docs/explain/gaps.md and sequence_events describe how a gap is closed; this file only
// decides when to look for transactions that are still writing.

// filled finds the events in gaps. It looks into each gap by the index, whatever the
// planner believes.
const filled = `
SELECT position FROM open_gaps CROSS JOIN LATERAL (
	SELECT position FROM events WHERE position BETWEEN first AND last ORDER BY position OFFSET 0) e`

// mayBeFilled asks the sequencer's row whether the next batch finds something in gaps.
// Old gaps can be many, so it does not search them: it is enough that a transaction which
// could fill them has ended.
const mayBeFilled = `(
	EXISTS (SELECT FROM unnest(late) AS xid WHERE pg_visible_in_snapshot(xid, pg_current_snapshot()))
	OR EXISTS (SELECT FROM unnest(gaps) AS g CROSS JOIN LATERAL (
		SELECT FROM events WHERE position >= lower(g) AND position < upper(g) ORDER BY position LIMIT 1) e))`

// watchEvery is the interval of looks for writing transactions. Most writers end sooner, so
// that a gap seldom waits for any.
const watchEvery = 250 * time.Millisecond

// gapWatch decides when one run of a sequencer looks for writing transactions. A new one
// does not know whether there are gaps, so it looks with its first batch.
type gapWatch struct {
	open    bool // there may be gaps
	crowded bool // they may have become many since the last look
	looked  clock.Stopwatch
}

// due reports whether a gap may be closed by a look now.
func (w *gapWatch) due() bool { return w.open && (w.crowded || w.looked.Elapsed() >= watchEvery) }

// look reports whether the next batch shall look, and notes it.
func (w *gapWatch) look() bool {
	if w.looked.Started() && !w.due() {
		return false
	}
	w.looked = clock.Start()
	return true
}
