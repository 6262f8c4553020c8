package commands

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"frontdesk/domain/event"
)

// Store keeps streams of events.
type Store interface {
	// Load is the history of a stream; empty if there is none.
	Load(ctx context.Context, stream event.Stream) ([]event.Event, error)
	// Append stores the events of all changes, or nothing. It returns
	// event.ErrConflict when a stream is no longer at its expected version.
	Append(ctx context.Context, changes ...event.Change) ([]event.Recorded, error)
}

// Load folds a stream.
func Load[S event.State[S]](ctx context.Context, store Store, stream event.Stream) (S, error) {
	history, err := store.Load(ctx, stream)
	return event.Fold[S](history...), err
}

// Update folds a stream, asks decide what happened, and appends it. When
// somebody else appended first it asks again on the fresh state, so decide
// does no I/O and may run several times.
func Update[S event.State[S]](ctx context.Context, store Store, stream event.Stream, decide func(S) ([]event.Event, error)) error {
	return UpdateWith(ctx, store, stream, decide)
}

// UpdateWith is [Update] with other changes in the same append: all of it is
// stored, or nothing. Only the one stream is folded again after a conflict, so
// the others are new by their ids.
func UpdateWith[S event.State[S]](ctx context.Context, store Store, stream event.Stream,
	decide func(S) ([]event.Event, error), others ...event.Change,
) error {
	return retry(ctx, func() error {
		history, err := store.Load(ctx, stream)
		if err != nil {
			return err
		}
		events, err := decide(event.Fold[S](history...))
		if err != nil || len(events)+len(others) == 0 {
			return err
		}
		change := event.Change{Stream: stream, Expected: len(history), Events: events}
		_, err = store.Append(ctx, append([]event.Change{change}, others...)...)
		return err
	})
}

// attempts bounds how often a decision is taken again. Of n racing writers one
// wins each round, so this many may meet on one stream.
const attempts = 64

// retry repeats attempt while it loses against other writers, after a short
// random wait so that losers do not meet again.
func retry(ctx context.Context, attempt func() error) error {
	for n := range attempts {
		err := attempt()
		if !errors.Is(err, event.ErrConflict) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		case <-time.After(rand.N(time.Duration(min(n+1, 8)) * time.Millisecond)):
		}
	}
	return fmt.Errorf("%d attempts: %w", attempts, event.ErrConflict)
}
