package eventstore

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
	"frontdesk/projections"
)

// Log reads all events in the order of the log.
type Log struct {
	DB    projections.Querier
	Codec *event.Codec
	Opens projections.Opener // personal values; nil leaves them hidden
	Page  int                // events of one query; 0 means 1,000
}

// Head returns the idx of the newest event in the log, and 0 if the log is empty.
func (l Log) Head(ctx context.Context) (head int64, err error) {
	if err := l.DB.QueryRow(ctx, `SELECT head FROM sequencer`).Scan(&head); err != nil {
		return 0, fmt.Errorf("read the head of the log: %w", err)
	}
	return head, nil
}

// readLog walks two indexes and sorts nothing. Without OFFSET 0 the planner may
// hash the whole table of events for each page, if its statistics are old.
const readLog = `
SELECT l.idx, ` + ofStored + `, e.sealed
FROM (SELECT idx, position FROM log WHERE idx > $1 ORDER BY idx LIMIT $2) l
LEFT JOIN LATERAL (SELECT * FROM events WHERE position = l.position OFFSET 0) e ON true
ORDER BY l.idx`

// ofStored are the columns of an event e in the log. An idx whose event is missing is
// also found: its event has no name.
const ofStored = `coalesce(e.id, '00000000-0000-0000-0000-000000000000'), coalesce(e.tenant, ''),
	coalesce(e.stream, '00000000-0000-0000-0000-000000000000'), coalesce(e.version, 0), coalesce(e.name, ''),
	coalesce(e.data, ''), coalesce(e.metadata, ''), coalesce(e.recorded_at, 'epoch'), coalesce(e.patient, '00000000-0000-0000-0000-000000000000')`

// logPage is the number of events that one query reads, if [Log.Page] is 0.
const logPage = 1000

// Next returns the page of events after idx, and an empty one at the end of the
// log. With an error it returns the events before the one that failed.
func (l Log) Next(ctx context.Context, idx int64) ([]event.Recorded, error) {
	page, err := l.next(ctx, idx)
	return page.known, err
}

func (l Log) next(ctx context.Context, idx int64) (sheet, error) {
	found, err := l.look(ctx, idx)
	if err != nil || len(found.known) > 0 {
		return found, err
	}
	head, err := l.Head(ctx)
	if err != nil || head <= idx {
		return sheet{}, err
	}
	found, err = l.look(ctx, idx) // it has grown since, or its end is lost
	if err != nil || len(found.known) > 0 {
		return found, err
	}
	return sheet{}, missingIdx(idx + 1)
}

func (l Log) look(ctx context.Context, idx int64) (found sheet, err error) {
	whole, missing := l.Rows(ctx, idx)
	found, err = l.decode(ctx, whole)
	if err = cmp.Or(err, missing); err != nil {
		return found, readingAfter(idx+int64(len(found.known)), err)
	}
	return found, nil
}

func readingAfter(idx int64, err error) error {
	return fmt.Errorf("read the log after idx %d: %w", idx, err)
}

// Rows returns the page of events after idx as they are stored, even with unknown names.
// It is empty at the end of the log. With a [Hole] it returns the events before the first
// that the log has lost.
func (l Log) Rows(ctx context.Context, idx int64) (found []event.Stored, err error) {
	var idxs, positions []int64
	if err := l.DB.QueryRow(ctx, readPlaces, idx, cmp.Or(l.Page, logPage)).Scan(&idxs, &positions); err != nil || len(idxs) == 0 {
		return nil, err
	}
	first, last := slices.Min(positions), slices.Max(positions)
	if uint64(last)-uint64(first) < 2*uint64(len(positions)) {
		return l.between(ctx, idx, idxs, positions, first, last)
	}
	for s, err := range l.EachRow(ctx, idx) {
		if err != nil {
			return found, err
		}
		found = append(found, s)
	}
	return found, nil
}

// readPlaces reads a page of the log after an idx.
const readPlaces = `
SELECT coalesce(array_agg(idx), '{}'), coalesce(array_agg(position), '{}')
FROM (SELECT idx, position FROM log WHERE idx > $1 ORDER BY idx LIMIT $2) page`

// readBetween reads events by a range of positions, which are in the place of the idx.
const readBetween = `
SELECT e.position, ` + ofStored + `, e.sealed
FROM events e WHERE position BETWEEN $1 AND $2`

// between reads the page after an idx whose positions are nearly all from first to last. It
// walks the index once, and joins here, where Postgres would look up each position.
func (l Log) between(ctx context.Context, idx int64, idxs, positions []int64, first, last int64) ([]event.Stored, error) {
	found, at := make([]event.Stored, len(idxs)), make([]int, last-first+1) // at: where in the page, from 1, a position is
	for n, position := range positions {
		found[n].Idx, at[position-first] = idxs[n], n+1
	}
	rows, _ := l.DB.Query(ctx, readBetween, first, last)
	defer rows.Close()
	for rows.Next() {
		s, err := scanStored(rows)
		if err != nil {
			return nil, err
		}
		if n := at[s.Idx-first]; n > 0 {
			s.Idx = idxs[n-1]
			found[n-1] = s
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	for n, s := range found {
		if err := continues(s, idx+int64(n)+1); err != nil {
			return found[:n], err
		}
	}
	return found, nil
}

// EachRow yields the page of [Log.Rows], one event at a time, so that a page of large events
// needs the memory of one. It holds the connection meanwhile.
func (l Log) EachRow(ctx context.Context, idx int64) iter.Seq2[event.Stored, error] {
	return func(yield func(event.Stored, error) bool) {
		rows, _ := l.DB.Query(ctx, readLog, idx, cmp.Or(l.Page, logPage))
		defer rows.Close()
		for next := idx + 1; rows.Next(); next++ {
			s, err := scanStored(rows)
			err = cmp.Or(err, continues(s, next))
			if !yield(s, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(event.Stored{}, err)
		}
	}
}

const readUnsequenced = `
SELECT 0::bigint, ` + ofStored + `, e.sealed
FROM (` + filled + ` UNION ALL SELECT position FROM events WHERE position > (SELECT reached FROM sequencer)) waiting
CROSS JOIN LATERAL (SELECT * FROM events WHERE position = waiting.position OFFSET 0) e
ORDER BY e.position`

// Unsequenced returns the events that are stored and not in the log yet, in the
// order in which they will be there. They have no idx.
func (l Log) Unsequenced(ctx context.Context) ([]event.Recorded, error) {
	found, err := l.collect(ctx, readUnsequenced)
	if err != nil {
		return nil, fmt.Errorf("read unsequenced events: %w", err)
	}
	return found.known, nil
}

func (l Log) collect(ctx context.Context, query string, args ...any) (sheet, error) {
	rows, _ := l.DB.Query(ctx, query, args...)
	found, err := pgx.CollectRows(rows, scanStored)
	if err != nil {
		return sheet{}, err
	}
	return l.decode(ctx, found)
}

// decode adds the events as the program knows them. With an error it returns those before
// the one that failed.
func (l Log) decode(ctx context.Context, found []event.Stored) (p sheet, err error) {
	p.stored = found
	if l.Opens != nil {
		p.known, err = l.Opens.Open(ctx, found)
		return p, err
	}
	p.known = make([]event.Recorded, len(found))
	for n, s := range found {
		if p.known[n], err = l.Codec.Join(s, nil); err != nil {
			p.known = p.known[:n]
			return p, err
		}
	}
	return p, nil
}

func scanStored(row pgx.CollectableRow) (s event.Stored, err error) {
	err = row.Scan(append(into(&s), &s.Sealed)...)
	s.At = s.At.UTC()
	return s, err
}

// into lists the targets of the idx and the columns of [ofStored]. Identifiers are read as
// bytes: their Scan method would receive text.
func into(s *event.Stored) []any {
	return []any{&s.Idx, (*[16]byte)(&s.ID), &s.Stream.Tenant, (*[16]byte)(&s.Stream.ID), &s.Version, &s.Name, &s.Data, &s.Metadata, &s.At, (*[16]byte)(&s.Patient)}
}

// Hole is the place of a loss in the log or in the access record: idx is dense.
type Hole string

// Error names the missing part.
func (h Hole) Error() string { return string(h) }

func missingIdx(idx int64) error { return Hole(fmt.Sprintf("idx %d is missing from the log", idx)) }

// checkStored returns an error if the log has the idx and its event is lost.
func checkStored(s event.Stored) error {
	if s.Name == "" {
		return Hole(fmt.Sprintf("the event of idx %d is missing", s.Idx))
	}
	return nil
}

// continues returns an error if the log has lost an event, or something before it.
func continues(s event.Stored, expected int64) error {
	if s.Idx != expected {
		return missingIdx(expected)
	}
	return checkStored(s)
}

// Whole is an event as the program knows it, and as it is stored.
type Whole struct {
	event.Recorded
	Stored event.Stored
}

// After yields the events after an idx, in order, up to the end of the log. It
// reads page by page, so that a slow reader keeps no transaction open. It ends with
// an error at a missing idx and at an event name that this program does not know.
func (l Log) After(ctx context.Context, idx int64) iter.Seq2[event.Recorded, error] {
	return known(l.WholeAfter(ctx, idx))
}

// WholeAfter yields the events of [Log.After], also as stored. It reads a page ahead, so its
// DB has to answer two callers at once: a pool does, a transaction does not.
func (l Log) WholeAfter(ctx context.Context, idx int64) iter.Seq2[Whole, error] {
	return func(yield func(Whole, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		ahead := l.readAhead(ctx, idx)
		defer func() { cancel(); <-ahead }()
		next := func(ctx context.Context, idx int64) (sheet, error) {
			page, read := <-ahead
			if !read || len(page) == 0 { // the log ends here, or a hole or a fault is there
				return l.next(ctx, idx)
			}
			ahead = l.readAhead(ctx, page[len(page)-1].Idx)
			found, err := l.decode(ctx, page)
			if err != nil {
				err = readingAfter(idx+int64(len(found.known)), err)
			}
			return found, err
		}
		eachAfter(ctx, idx, next)(yield)
	}
}

// readAhead begins to read the page after an idx. The channel yields the page, unless it
// could not be read as a whole, and is closed.
func (l Log) readAhead(ctx context.Context, idx int64) <-chan []event.Stored {
	ahead := make(chan []event.Stored, 1)
	go func() {
		defer close(ahead)
		if page, err := l.Rows(ctx, idx); err == nil {
			ahead <- page
		}
	}()
	return ahead
}

// eachAfter yields the events of one page after another, up to an empty one.
func eachAfter(ctx context.Context, idx int64, next func(context.Context, int64) (sheet, error)) iter.Seq2[Whole, error] {
	return func(yield func(Whole, error) bool) {
		for {
			page, err := next(ctx, idx)
			for n, e := range page.known {
				if !yield(Whole{e, page.stored[n]}, nil) {
					return
				}
			}
			if err != nil {
				yield(Whole{}, err)
				return
			}
			if len(page.known) == 0 {
				return
			}
			idx = page.known[len(page.known)-1].Idx
		}
	}
}

func known(all iter.Seq2[Whole, error]) iter.Seq2[event.Recorded, error] {
	return func(yield func(event.Recorded, error) bool) {
		for e, err := range all {
			if !yield(e.Recorded, err) {
				return
			}
		}
	}
}

// sheet is events in the order of the log. More may be stored than are known, if one of them
// was the reason for an error.
type sheet struct {
	stored []event.Stored
	known  []event.Recorded
}
