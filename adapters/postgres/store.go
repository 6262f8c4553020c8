package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
	"frontdesk/projections"
)

// Store keeps streams of events. It is safe for concurrent use.
type Store struct {
	DB       DB
	Codec    *event.Codec
	AtOnce   []projections.Projection // what holds as soon as an append has returned
	Now      func() time.Time         // the clock of recorded_at
	Appended *Bell                    // rung after each commit; nil rings nobody
}

// Load is the history of a stream, oldest event first; empty when there is
// none, or when the stream is another tenant's (D18).
func (s *Store) Load(ctx context.Context, stream event.Stream) ([]event.Event, error) {
	rows, _ := s.DB.Query(ctx,
		`SELECT name, data FROM events WHERE stream = $1 AND tenant = $2 ORDER BY version`, stream.ID, stream.Tenant)
	history, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (event.Event, error) {
		var name, data string
		if err := row.Scan(&name, &data); err != nil {
			return nil, err
		}
		return s.Codec.Decode(name, []byte(data))
	})
	if err != nil {
		return nil, fmt.Errorf("load stream %s: %w", stream.ID, err)
	}
	return history, nil
}

// Append stores the events of all changes, or nothing, and returns them as
// recorded, without their idx. The metadata is that of ctx.
//
// [event.ErrConflict] says that a stream has moved on, or that two appends
// stood in each other's way: decide again. A [*fault.Error] says that a row
// that must be unique is taken.
func (s *Store) Append(ctx context.Context, changes ...event.Change) ([]event.Recorded, error) {
	recorded, err := s.record(event.MetadataFrom(ctx), changes)
	if err != nil || len(recorded) == 0 {
		return nil, err
	}
	batch, err := s.batch(recorded)
	if err != nil {
		return nil, err
	}
	// One batch is one round trip and one implicit transaction.
	if err := s.DB.ExecBatch(ctx, batch); err != nil {
		return nil, fmt.Errorf("append %d events: %w", len(recorded), err)
	}
	s.Appended.Ring()
	return recorded, nil
}
