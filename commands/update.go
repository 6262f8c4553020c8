package commands

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"frontdesk/domain/event"
)

// Store keeps streams of events.
type Store interface {
	// Load returns the history of a stream, oldest event first; empty for a new one.
	Load(ctx context.Context, stream event.Stream) ([]event.Event, error)
	// Append stores the events of all changes, or nothing. It returns event.ErrConflict
	// if a stream is no longer at its expected version, and patient.ErrUnknown if the
	// practice does not have the patient of a change.
	Append(ctx context.Context, changes ...event.Change) ([]event.Recorded, error)
}

// Rehearsal is a store that collects changes and appends nothing. It is for a dry run:
// an intent is refused as usual, or returns its result. Later intents see the changes
// of earlier ones. It reads each stream once, and is for one goroutine.
type Rehearsal struct {
	Store
	Changes []event.Change // in the order of appends

	histories map[event.Stream][]event.Event // of the streams that were read or changed
}

// Load returns the history of a stream, followed by collected changes.
func (r *Rehearsal) Load(ctx context.Context, stream event.Stream) ([]event.Event, error) {
	if known, ok := r.histories[stream]; ok {
		return known, nil
	}
	history, err := r.Store.Load(ctx, stream)
	if err == nil {
		r.keep(stream, history)
	}
	return history, err
}

// Append collects the changes.
func (r *Rehearsal) Append(_ context.Context, changes ...event.Change) ([]event.Recorded, error) {
	r.Changes = append(r.Changes, changes...)
	for _, change := range changes {
		if known, ok := r.histories[change.Stream]; ok || change.Expected == 0 {
			r.keep(change.Stream, append(slices.Clip(known), change.Events...))
		}
	}
	return nil, nil
}

func (r *Rehearsal) keep(stream event.Stream, history []event.Event) {
	if r.histories == nil {
		r.histories = map[event.Stream][]event.Event{}
	}
	r.histories[stream] = history
}

// Events returns the events of all collected changes.
func (r *Rehearsal) Events() (events []event.Event) {
	for _, change := range r.Changes {
		events = append(events, change.Events...)
	}
	return events
}

// Load returns the state of a stream.
func Load[S event.State[S]](ctx context.Context, store Store, stream event.Stream) (S, error) {
	history, err := store.Load(ctx, stream)
	return event.Fold[S](history...), err
}

// Update folds a stream, takes the decision, and appends its events. If another writer
// has appended first, it repeats all of this on the new state. So decide may run
// several times and must do no I/O. It appends nothing to a stream that holds events of
// another kind, and returns event.ErrForeign.
func Update[S event.State[S]](ctx context.Context, store Store, stream event.Stream, decide func(S) ([]event.Event, error)) error {
	return update(ctx, store, event.Change{Stream: stream}, decide)
}

// update appends the decision as a change of one stream, together with other changes: all
// of it is stored, or nothing. After a conflict only the one stream is folded again, so
// the others must be of new streams.
func update[S event.State[S]](ctx context.Context, store Store, change event.Change,
	decide func(S) ([]event.Event, error), others ...event.Change,
) error {
	return retry(ctx, func() error {
		history, err := store.Load(ctx, change.Stream)
		if err != nil {
			return err
		}
		events, err := decide(event.Fold[S](history...))
		if err != nil || len(events)+len(others) == 0 {
			return err
		}
		if err := unmixed[S](change.Stream, history); err != nil {
			return err
		}
		change.Expected, change.Events = len(history), events
		_, err = store.Append(ctx, append([]event.Change{change}, others...)...)
		return err
	})
}

// unmixed returns [event.ErrForeign] if a history holds an event that a stream of S may
// not hold. The decision runs first, so that its refusal of an unknown object is the
// answer to an identifier of another kind.
func unmixed[S event.State[S]](stream event.Stream, history []event.Event) error {
	if foreign := event.Foreign[S](history...); foreign != nil {
		return fmt.Errorf("append to stream %s, which holds %s: %w", stream.ID, foreign.EventName(), event.ErrForeign)
	}
	return nil
}

// Version returns the number of events of a stream, for optimistic concurrency of people.
// Call it before you show or read data of the stream, and pass it to the command that
// acts on that data.
func Version(ctx context.Context, store Store, stream event.Stream) (int, error) {
	history, err := store.Load(ctx, stream)
	return len(history), err
}

// counted is a state with the number of its events.
type counted[S event.State[S]] struct {
	state  S
	events int
}

// Apply counts the event.
func (c counted[S]) Apply(e event.Event) counted[S] {
	return counted[S]{c.state.Apply(e), c.events + 1}
}

// Events returns the events of the stream.
func (c counted[S]) Events() []event.Event { return c.state.Events() }

// ifUnchanged wraps a decision of an actor who has seen so many events; 0 for no check. If the
// stream has another number by now, it refuses.
func ifUnchanged[S event.State[S]](events int, refusal error, decide func(S) ([]event.Event, error)) func(counted[S]) ([]event.Event, error) {
	return func(c counted[S]) ([]event.Event, error) {
		if events != 0 && events != c.events {
			return nil, refusal
		}
		return decide(c.state)
	}
}

// attempts limits how often a decision is taken. In each round one of the racing
// writers wins, so this many may meet on one stream.
const attempts = 64

// retry repeats an attempt while it loses against other writers. It waits a short
// random time in between, so that the losers do not meet again.
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
