package postgres

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
	"frontdesk/projections"
)

// Log reads all events in the order of the log.
type Log struct {
	DB    projections.Querier
	Codec *event.Codec
	Page  int // events of one query; 0 means 1,000
}

// Head returns the idx of the newest event in the log, and 0 if the log is empty.
func (l Log) Head(ctx context.Context) (head int64, err error) {
	if err := l.DB.QueryRow(ctx, `SELECT head FROM sequencer`).Scan(&head); err != nil {
		return 0, fmt.Errorf("read the head of the log: %w", err)
	}
	return head, nil
}

// After yields the events after an idx, in order, up to the end of the log. It
// reads page by page, so that a slow reader keeps no transaction open. It ends with
// an error at a missing idx and at an event name that this program does not know.
func (l Log) After(ctx context.Context, idx int64) iter.Seq2[event.Recorded, error] {
	return eachAfter(ctx, idx, l.Next)
}

// eachAfter yields the events of one page after another, up to an empty one.
func eachAfter(ctx context.Context, idx int64, next func(context.Context, int64) ([]event.Recorded, error)) iter.Seq2[event.Recorded, error] {
	return func(yield func(event.Recorded, error) bool) {
		for {
			page, err := next(ctx, idx)
			for _, e := range page {
				if !yield(e, nil) {
					return
				}
			}
			if err != nil {
				yield(event.Recorded{}, err)
				return
			}
			if len(page) == 0 {
				return
			}
			idx = page[len(page)-1].Idx
		}
	}
}

// readLog walks two indexes and sorts nothing. Without OFFSET 0 the planner may
// hash the whole table of events for each page, if its statistics are old.
const readLog = `
SELECT l.idx, ` + ofStored + `
FROM (SELECT idx, position FROM log WHERE idx > $1 ORDER BY idx LIMIT $2) l
LEFT JOIN LATERAL (SELECT * FROM events WHERE position = l.position OFFSET 0) e ON true
ORDER BY l.idx`

// ofStored are the columns of an event e in the log. An idx whose event is missing is
// found, too: its event has no name.
const ofStored = `coalesce(e.id, '00000000-0000-0000-0000-000000000000'), coalesce(e.tenant, ''),
	coalesce(e.stream, '00000000-0000-0000-0000-000000000000'), coalesce(e.version, 0), coalesce(e.name, ''),
	coalesce(e.data, ''), coalesce(e.metadata, ''), coalesce(e.recorded_at, 'epoch')`

// logPage is how many events one look reads, unless the log says otherwise.
const logPage = 1000

// Next returns the page of events after idx, and an empty one at the end of the
// log. With an error it returns the events before the one that failed.
func (l Log) Next(ctx context.Context, idx int64) ([]event.Recorded, error) {
	page, err := l.next(ctx, idx)
	if err != nil || len(page) > 0 {
		return page, err
	}
	head, err := l.Head(ctx)
	if err != nil || head <= idx {
		return nil, err
	}
	page, err = l.next(ctx, idx) // it has grown since, or its end is lost
	if err == nil && len(page) == 0 {
		err = missingIdx(idx + 1)
	}
	return page, err
}

func (l Log) next(ctx context.Context, idx int64) ([]event.Recorded, error) {
	limit := cmp.Or(l.Page, logPage)
	rows, _ := l.DB.Query(ctx, readLog, idx, limit)
	defer rows.Close()
	page := make([]event.Recorded, 0, limit)
	for rows.Next() {
		e, err := l.scan(rows)
		if err == nil && e.Idx != idx+1 {
			err = missingIdx(idx + 1)
		}
		if err != nil {
			return page, fmt.Errorf("read the log after idx %d: %w", idx, err)
		}
		page, idx = append(page, e), e.Idx
	}
	if err := rows.Err(); err != nil {
		return page, fmt.Errorf("read the log after idx %d: %w", idx, err)
	}
	return page, nil
}

const readUnsequenced = `
SELECT 0::bigint, e.id, e.tenant, e.stream, e.version, e.name, e.data, e.metadata, e.recorded_at
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
	return found, nil
}

func (l Log) collect(ctx context.Context, query string, args ...any) ([]event.Recorded, error) {
	rows, _ := l.DB.Query(ctx, query, args...)
	return pgx.CollectRows(rows, func(pgx.CollectableRow) (event.Recorded, error) { return l.scan(rows) })
}

func (l Log) scan(rows pgx.Rows) (event.Recorded, error) {
	var e stored
	err := rows.Scan(&e.idx, &e.id, &e.tenant, &e.stream, &e.version, &e.name, &e.data, &e.metadata, &e.at)
	if err != nil {
		return event.Recorded{}, err
	}
	return e.decode(l.Codec)
}

// stored is an event of the log as the database holds it.
type stored struct {
	idx            int64
	id, stream     uuid.UUID
	tenant, name   string
	version        int
	data, metadata []byte
	at             time.Time
}

// missingIdx says that the log has a hole: something was lost, because idx is dense.
func missingIdx(idx int64) error { return fmt.Errorf("idx %d is missing from the log", idx) }

// there is an error if the log has the idx and its event is lost.
func (s stored) there() error {
	if s.name == "" {
		return fmt.Errorf("the event of idx %d is missing", s.idx)
	}
	return nil
}

// follows is an error if something of the log was lost before this event, or the event.
func (s stored) follows(expected int64) error {
	if s.idx != expected {
		return missingIdx(expected)
	}
	return s.there()
}

// decode returns the event as the program knows it.
func (s stored) decode(codec *event.Codec) (event.Recorded, error) {
	if err := s.there(); err != nil {
		return event.Recorded{}, err
	}
	e, err := codec.Decode(s.name, s.data)
	if err != nil {
		return event.Recorded{}, err
	}
	metadata, err := event.ParseMetadata(s.metadata)
	if err != nil {
		return event.Recorded{}, err
	}
	return event.Recorded{
		Event: e, Idx: s.idx, ID: s.id, Stream: event.Stream{Tenant: s.tenant, ID: s.stream}, Version: s.version,
		At: s.at.UTC(), Metadata: metadata,
	}, nil
}
