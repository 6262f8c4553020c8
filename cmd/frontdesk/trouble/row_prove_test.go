//go:build prove

package trouble_test

// Only this file depends on the form of the sequencer's row.

// row is the beginning of the row, for a report.
func (w *world) row() string {
	return ask[string](w.cluster, `SELECT left(to_jsonb(s)::text, 1500) FROM sequencer s`)
}

// openGaps is the list of gaps that the sequencer still waits for; "" for none.
const openGaps = `SELECT CASE WHEN gaps <> '{}' OR EXISTS (SELECT FROM old_gaps) THEN 'the sequencer looks for ' || left(gaps::text, 200) ||
	' and ' || (SELECT count(*) FROM old_gaps) || ' old gaps' ELSE '' END FROM sequencer`

// straying are the inconsistencies between the row and the log, or the log and the events,
// without writers.
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
