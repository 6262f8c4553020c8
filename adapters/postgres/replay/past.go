package replay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// Replay is the configuration of a replay.
type Replay struct {
	Pool        *pgxpool.Pool
	Log         eventstore.Log // its DB is not used
	Keys        *keyring.Keyring
	Projections []projections.Projection
	Schema      string // [Temporary], or the name of a schema that is created and kept
	Until       Until
	Tenants     []string              // whose events are replayed; nil for all
	See         func(event.Recorded)  // receives the replayed events, in order; may be nil
	Progress    func(done, all int64) // receives the number of processed events; may be nil
}

// Until is the end of the past: an idx or, if that is 0, before the first replayed
// event in the log that was recorded after an instant.
type Until struct {
	Idx     int64
	Instant time.Time
}

// Past is the read models as they were at an instant. Close it after use.
type Past struct {
	*Shadow
	Idx int64     // of the last event in them; 0 without events
	At  time.Time // when that event was recorded
}

// Run builds the past. It fails if a schema to keep exists already, or if no key opens
// the data of a read model.
func (r *Replay) Run(ctx context.Context) (*Past, error) {
	if _, hidden := openable(r.Keys, r.Projections); len(hidden) > 0 {
		return nil, r.Keys.CanOpen()
	}
	r.Log = opening(r.Log, r.Keys, r.Projections, time.Time{})
	if r.Schema != Temporary {
		if _, err := postgres.On(r.Pool).Exec(ctx, `CREATE SCHEMA `+quoted(r.Schema)); err != nil {
			return nil, fmt.Errorf("make the schema to keep: %w", err)
		}
	}
	shadow, err := open(ctx, r.Pool, r.Schema, r.Projections)
	if err != nil {
		return nil, err
	}
	past := &Past{Shadow: shadow}
	if err := r.fill(ctx, past); err != nil {
		shadow.Close()
		if r.Schema != Temporary { // created by this run
			err = errors.Join(err, drop(context.WithoutCancel(ctx), postgres.On(r.Pool), r.Schema))
		}
		return nil, fmt.Errorf("replay: %w", err)
	}
	return past, nil
}

// fill advances the past to its end, page by page.
func (r *Replay) fill(ctx context.Context, past *Past) error {
	var head int64
	if err := past.db.QueryRow(ctx, `SELECT head FROM public.sequencer`).Scan(&head); err != nil {
		return fmt.Errorf("read the head of the log: %w", err)
	}
	log := readAhead(r.Log, r.Pool, r.Tenants...)
	defer log.Close()
	for ended := false; !ended; {
		err := past.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) (err error) {
			ended, err = r.step(ctx, tx, log, past)
			return err
		})
		if err != nil {
			return err
		}
		if r.Progress != nil {
			r.Progress(past.Idx, head)
		}
	}
	return nil
}

// step advances the past over one page of the log, and reports whether it has ended.
func (r *Replay) step(ctx context.Context, tx pgx.Tx, log pages, past *Past) (ended bool, err error) {
	page, err := log.Next(ctx, past.Idx)
	if err != nil || len(page) == 0 {
		return true, err
	}
	known := 0
	for _, e := range page {
		if ended = r.Until.passed(e); ended {
			break
		}
		known++
		past.Idx, past.At = e.Idx, e.At
		if r.See != nil {
			r.See(e)
		}
	}
	return ended, past.project(ctx, tx, page[:known], nil, func(string, int64) bool { return true })
}

// passed reports whether an event is after the end.
func (u Until) passed(e event.Recorded) bool {
	if u.Idx > 0 {
		return e.Idx > u.Idx
	}
	return e.At.After(u.Instant)
}
