package eventstore

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/domain/event"
)

// Selection reads the events of a patient, of streams or of some practices, in the
// order of the log, by an index. It finds their places in the log first and keeps them, so
// that a long history is not sorted for each page of it. It cannot detect a missing idx.
// Only one goroutine may use it.
type Selection struct {
	Log
	Recorded Instants // when the events were recorded
	chosen   []chosen
	found    []located // and not read yet, in the order of the log
	most     int64     // that are held
	looked   int64     // all events up to this idx have been found
	head     int64     // of the log, at the first look; 0 before it
}

// Instants is a time from Since up to Until, exclusive. A zero instant is no bound.
type Instants struct{ Since, Until time.Time }

// chosen are the events that have one of some values in a column. Each column has an index.
type chosen struct {
	column string
	values any
}

// located is the place of an event.
type located struct{ Idx, Position int64 }

// maxLocated bounds the memory of a selection. One that has more events is found in
// parts of the log that are as long.
const maxLocated = 50_000

// OfPatient selects the events that concern a patient, and all events of some streams.
func (l Log) OfPatient(id uuid.UUID, streams ...uuid.UUID) *Selection {
	s := &Selection{Log: l, chosen: []chosen{{"patient", []uuid.UUID{id}}}, most: maxLocated}
	if len(streams) > 0 {
		s.chosen = append(s.chosen, chosen{"stream", streams})
	}
	return s
}

// OfStream selects the events of a stream.
func (l Log) OfStream(id uuid.UUID) *Selection {
	return &Selection{Log: l, chosen: []chosen{{"stream", []uuid.UUID{id}}}, most: maxLocated}
}

// OfTenants selects the events of practices. That of no practice is "".
func (l Log) OfTenants(tenants ...string) *Selection {
	return &Selection{Log: l, chosen: []chosen{{"tenant", tenants}}, most: maxLocated}
}

// After yields the events after an idx.
func (s *Selection) After(ctx context.Context, idx int64) iter.Seq2[event.Recorded, error] {
	return known(s.WholeAfter(ctx, idx))
}

// WholeAfter yields the events of [Selection.After], also as stored.
func (s *Selection) WholeAfter(ctx context.Context, idx int64) iter.Seq2[Whole, error] {
	return eachAfter(ctx, idx, s.next)
}

// Next returns the next page of events after idx, and an empty one at the end.
func (s *Selection) Next(ctx context.Context, idx int64) ([]event.Recorded, error) {
	page, err := s.next(ctx, idx)
	return page.known, err
}

func (s *Selection) next(ctx context.Context, idx int64) (sheet, error) {
	for len(s.found) > 0 && s.found[0].Idx <= idx {
		s.found = s.found[1:]
	}
	if err := s.find(ctx, idx); err != nil {
		return sheet{}, fmt.Errorf("find events after idx %d: %w", idx, err)
	}
	next := s.found[:min(len(s.found), cmp.Or(s.Page, logPage))]
	if len(next) == 0 {
		return sheet{}, nil
	}
	found, err := s.read(ctx, next)
	if err != nil {
		return sheet{}, readingAfter(idx, err)
	}
	s.found = s.found[len(next):]
	return found, nil
}

// find looks for events after idx until it has found some, or reaches the end. It tries to
// find all of them at once, unless there is little log left.
func (s *Selection) find(ctx context.Context, idx int64) (err error) {
	if s.head == 0 {
		if s.head, err = s.Head(ctx); err != nil {
			return err
		}
		s.looked = idx
		if s.head-idx > s.most {
			err = s.findAll(ctx, idx)
		}
	}
	for err == nil && len(s.found) == 0 && s.looked < s.head {
		err = s.findPart(ctx)
	}
	return err
}

// A late event has a lower position than others before it in the log. So these queries look
// up the idx of each event, one by one: otherwise Postgres may read the whole log to find
// some of it.
const (
	findEvents = `
SELECT l.idx, e.position FROM events e
CROSS JOIN LATERAL (SELECT idx FROM log WHERE position = e.position AND idx > $2 AND idx <= $3 OFFSET 0) l
WHERE e.%s = ANY ($1) AND ($4::timestamptz IS NULL OR e.recorded_at >= $4) AND ($5::timestamptz IS NULL OR e.recorded_at < $5)`
	findAll  = findEvents + ` LIMIT $6`
	findPart = `WITH part AS MATERIALIZED (SELECT min(position) AS low, max(position) AS high
		FROM (SELECT position FROM log WHERE idx > $2 AND idx <= $3 OFFSET 0) part)` + findEvents + `
	AND e.position BETWEEN (SELECT low FROM part) AND (SELECT high FROM part)`
)

// findAll finds the events after idx, unless they are too many.
func (s *Selection) findAll(ctx context.Context, idx int64) error {
	all, err := s.locate(ctx, findAll, idx, s.head, s.most+1)
	if err == nil && int64(len(all)) <= s.most {
		s.found, s.looked = all, s.head
	}
	return err
}

// findPart finds the events of the next part of the log.
func (s *Selection) findPart(ctx context.Context) (err error) {
	from := s.looked
	s.looked = min(from+s.most, s.head)
	s.found, err = s.locate(ctx, findPart, from, s.looked)
	return err
}

func (s *Selection) locate(ctx context.Context, statement string, after, upTo int64, limit ...any) (found []located, err error) {
	for _, c := range s.chosen {
		args := append([]any{pgx.QueryExecModeCacheDescribe, c.values, after, upTo, postgres.TimeOrNull(s.Recorded.Since), postgres.TimeOrNull(s.Recorded.Until)}, limit...)
		rows, _ := s.DB.Query(ctx, fmt.Sprintf(statement, c.column), args...)
		if found, err = pgx.AppendRows(found, rows, pgx.RowToStructByPos[located]); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found, func(a, b located) int { return cmp.Compare(a.Idx, b.Idx) })
	return slices.Compact(found), nil
}

const readLocated = `
SELECT l.idx, ` + ofStored + `, e.sealed
FROM unnest($1::bigint[], $2::bigint[]) AS l (idx, position)
CROSS JOIN LATERAL (SELECT * FROM events WHERE position = l.position OFFSET 0) e
ORDER BY l.idx`

func (s *Selection) read(ctx context.Context, events []located) (sheet, error) {
	idx, positions := make([]int64, len(events)), make([]int64, len(events))
	for n, e := range events {
		idx[n], positions[n] = e.Idx, e.Position
	}
	return s.collect(ctx, readLocated, idx, positions)
}

// findInstants finds only both ends, because the events between them are read anyway.
const findInstants = `
SELECT coalesce(min(l.idx) - 1, 0), coalesce(max(l.idx), 0) FROM events e JOIN log l ON l.position = e.position
WHERE ($1::timestamptz IS NULL OR e.recorded_at >= $1) AND ($2::timestamptz IS NULL OR e.recorded_at < $2) AND l.idx > $3 AND l.idx <= $4`

// Within narrows a range of the log, from after one idx up to another, to one that holds
// every event of it that was recorded at some instants. Others can be between them,
// because the clocks of processes differ, and an event may come late to the log. The
// range is empty if there are none.
func (l Log) Within(ctx context.Context, at Instants, after, upTo int64) (narrowAfter, narrowUpTo int64, err error) {
	err = l.DB.QueryRow(ctx, findInstants, pgx.QueryExecModeCacheDescribe,
		postgres.TimeOrNull(at.Since), postgres.TimeOrNull(at.Until), after, upTo).Scan(&narrowAfter, &narrowUpTo)
	if err != nil {
		return 0, 0, fmt.Errorf("find instants in the log: %w", err)
	}
	return narrowAfter, narrowUpTo, nil
}
