//go:build prove

package trouble_test

// All that the search knows of the sequencer's row stands here.

// row is what the row begins with, for a report.
func (w *world) row() string {
	return ask[string](w.cluster, `SELECT left(to_jsonb(s)::text, 1500) FROM sequencer s`)
}

// openGaps is what the sequencer still looks for; "" if it is nothing.
const openGaps = `SELECT CASE WHEN gaps <> '{}' OR EXISTS (SELECT FROM old_gaps) THEN 'the sequencer looks for ' || left(gaps::text, 200) ||
	' and ' || (SELECT count(*) FROM old_gaps) || ' old gaps' ELSE '' END FROM sequencer`

// straying are the ways in which the row does not agree with the log, or the log with
// the events, when nobody writes.
const straying = `
SELECT coalesce(array_agg(what), '{}') FROM (
	SELECT 'head is ' || head || ', and the log has ' || n || ' rows, the last of them ' || last
	FROM sequencer, (SELECT count(*) AS n, coalesce(max(idx), 0) AS last FROM log) l WHERE head <> n OR head <> last
	UNION ALL
	SELECT 'reached is ' || reached || ', and the highest position of the log ' || max(position) FROM sequencer, log GROUP BY reached HAVING reached <> max(position)
	UNION ALL
	SELECT 'the event at position ' || e.position || ' is not in the log: ' || e.metadata
	FROM events e WHERE NOT EXISTS (SELECT FROM log l WHERE l.position = e.position)
	UNION ALL
	SELECT 'idx ' || l.idx || ' has no event at position ' || l.position
	FROM log l WHERE NOT EXISTS (SELECT FROM events e WHERE e.position = l.position)) found (what)`
