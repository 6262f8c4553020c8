package postgres

import (
	"context"
	"fmt"
	"iter"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
)

// One patient's events are few and have an index.
const readPatient = `
SELECT l.idx, e.id, e.tenant, e.stream, e.version, e.name, e.data, e.metadata, e.recorded_at
FROM events e JOIN log l ON l.position = e.position
WHERE e.patient = $1 AND l.idx > $2 ORDER BY l.idx LIMIT $3`

// OfPatient yields the events after an idx that concern a patient, in order.
// Like [Log.After] it pages in short queries; a gap in idx it cannot see.
func (l Log) OfPatient(ctx context.Context, patient uuid.UUID, idx int64) iter.Seq2[event.Recorded, error] {
	const limit = 1000
	return func(yield func(event.Recorded, error) bool) {
		for {
			page, err := l.collect(ctx, readPatient, patient, idx, limit)
			if err != nil {
				yield(event.Recorded{}, fmt.Errorf("read the log after idx %d: %w", idx, err))
				return
			}
			for _, e := range page {
				if idx = e.Idx; !yield(e, nil) {
					return
				}
			}
			if len(page) < limit {
				return
			}
		}
	}
}

const readUnsequenced = `
SELECT 0::bigint, e.id, e.tenant, e.stream, e.version, e.name, e.data, e.metadata, e.recorded_at
FROM sequencer CROSS JOIN LATERAL (SELECT * FROM events WHERE position = ANY (gaps) OR position > reached OFFSET 0) e
ORDER BY e.position`

// Unsequenced is the events that are stored and not in the log yet, in the
// order in which they will be. They have no idx.
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
