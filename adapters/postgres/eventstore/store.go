package eventstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/background"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/tracing"
	"frontdesk/domain/event"
	"frontdesk/domain/proof"
	"frontdesk/projections"
)

// Store keeps streams of events. It is safe for concurrent use.
type Store struct {
	DB       postgres.DB
	Codec    *event.Codec
	Keys     *keyring.Keyring         // encrypts personal values; nil refuses events that have some
	AtOnce   []projections.Projection // kept in the transaction of each append
	Now      func() time.Time         // the clock of recorded_at
	Clock    *postgres.Clock          // refuses appends while the machine's clock is wrong; nil for never
	Appended *background.Broadcast    // notified after each commit; nil for none
	Altered  atomic.Int64             // appends that were refused with [postgres.ErrAltered]

	batcher batcher
}

// Load returns the history of a stream, oldest event first. It is empty if there is
// no such stream. Personal values are hidden, because no decision needs them.
func (s *Store) Load(ctx context.Context, stream event.Stream) ([]event.Event, error) {
	rows, _ := s.DB.Query(ctx,
		`SELECT name, data FROM events WHERE tenant = $1 AND stream = $2 ORDER BY version`, stream.Tenant, stream.ID)
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

// Append stores the events of all changes, or nothing, and returns them as recorded,
// without their idx. Their metadata comes from ctx. Concurrent appends share transactions.
//
// It returns [event.ErrConflict] if a stream has moved on or two appends got into a
// deadlock: decide again. It returns a [*fault.Error] if a row that must be unique
// exists already, or a needed patient is missing.
func (s *Store) Append(ctx context.Context, changes ...event.Change) ([]event.Recorded, error) {
	recorded := s.record(event.MetadataFrom(ctx), changes)
	if len(recorded) == 0 {
		return nil, nil
	}
	if err := s.Clock.Err(); err != nil {
		return nil, fmt.Errorf("append %d events: %w", len(recorded), err)
	}
	events, minted, err := s.write(ctx, recorded)
	if err != nil {
		return nil, fmt.Errorf("append %d events: %w", len(recorded), err)
	}
	markOfPatient(events, changes)
	ctx, span := tracing.Step(ctx, "append")
	err = s.store(ctx, events)
	span.Number("frontdesk.events", len(events))
	span.End(err != nil)
	if errors.Is(err, postgres.ErrAltered) {
		s.Altered.Add(1)
	}
	if err != nil {
		return nil, fmt.Errorf("append %d events: %w", len(recorded), err)
	}
	s.Keys.Keep(minted)
	return recorded, nil
}

// record numbers and stamps the events. Streams are in one order, so
// that two appends lock the same rows in the same order.
func (s *Store) record(metadata event.Metadata, changes []event.Change) []event.Recorded {
	at := s.Now().UTC().Truncate(time.Microsecond)
	var recorded []event.Recorded
	for _, change := range inStreamOrder(changes) {
		for i, e := range change.Events {
			id := change.ID
			if i > 0 || id == uuid.Nil {
				id = event.NewID()
			}
			recorded = append(recorded, event.Recorded{
				Event: e, ID: id, Stream: change.Stream, Version: change.Expected + i + 1, At: at, Metadata: metadata,
			})
		}
	}
	answerOnce(recorded)
	return recorded
}

// answerOnce leaves the call's key and answer with one event of an append: with one about a
// patient if there is one, because an answer is erased with its patient.
func answerOnce(recorded []event.Recorded) {
	at := max(0, slices.IndexFunc(recorded, func(e event.Recorded) bool { return e.About() != uuid.Nil }))
	for n := range recorded {
		if n != at {
			recorded[n].Metadata.Idempotency = event.Idempotency{}
		}
	}
}

func inStreamOrder(changes []event.Change) []event.Change {
	return slices.SortedStableFunc(slices.Values(changes), func(a, b event.Change) int {
		return compareStreams(a.Stream, b.Stream)
	})
}

// write returns the events as they will be stored, and the keys that are stored with them.
func (s *Store) write(ctx context.Context, recorded []event.Recorded) ([]written, keyring.Minted, error) {
	parts, err := keyring.SplitAll(s.Codec, recorded)
	if err != nil {
		return nil, keyring.Minted{}, err
	}
	minted, err := s.Keys.Seal(ctx, parts)
	if err != nil {
		return nil, keyring.Minted{}, err
	}
	all := make([]written, len(recorded))
	for n, e := range recorded {
		if err := proof.CheckTexts(e.Stream.Tenant, parts[n].Name); err != nil {
			return nil, keyring.Minted{}, err
		}
		all[n] = written{
			Stored: parts[n].Stored, idempotency: e.Metadata.Idempotency.Key, practitioner: parts[n].Practitioner(), former: formerOf(e.Event),
			rows: projections.StatementsFor(e, s.AtOnce...), guards: projections.GuardsFor(e),
		}
	}
	all[0].keys, err = s.Keys.Wrap(minted, parts)
	return all, minted, err
}

func formerOf(e event.Event) *uuid.UUID {
	moved, ok := e.(event.Moved)
	if !ok {
		return nil
	}
	former := moved.FormerPatientID()
	return &former
}

// markOfPatient marks the events of those changes that need their patient.
func markOfPatient(events []written, changes []event.Change) {
	for _, change := range changes {
		for i, e := range events {
			events[i].ofPatient = e.ofPatient || change.OfPatient && change.Stream == e.Stream
		}
	}
}
