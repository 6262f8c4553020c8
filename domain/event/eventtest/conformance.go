package eventtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// Store is a store of events.
type Store interface {
	Load(ctx context.Context, stream event.Stream) ([]event.Event, error)
	Append(ctx context.Context, changes ...event.Change) ([]event.Recorded, error)
}

// Ann is the patient of a conformance test.
var Ann = uuid.MustParse("0190c7a2-0000-7000-8000-00000000000a")

// Conformance tests all requirements of a store. open returns an empty store that
// decodes [Events]. If it encrypts personal data, it has a key of [Ann].
func Conformance(t *testing.T, open func(t *testing.T) Store) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, Store){
		"a stream reads back in order, as written":      readsBack,
		"an append returns what it has recorded":        recordsMetadata,
		"a stale decision is a conflict":                refusesStale,
		"a version beyond the stream is a conflict":     refusesHoles,
		"several streams change together or not at all": isAtomic,
		"two changes of one stream follow each other":   appendsTwice,
		"each tenant has streams of its own":            keepsTenantsApart,
		"of racing writers one wins each round":         oneWinnerEachRound,
		"an event that no reader knows is not written":  refusesUnknown,
		"nothing to append is nothing appended":         acceptsNothing,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func newStream() event.Stream { return event.Stream{Tenant: "elm-street", ID: uuid.New()} }

func counted(ns ...int) []event.Event {
	events := make([]event.Event, len(ns))
	for i, n := range ns {
		events[i] = Counted{n}
	}
	return events
}

func mustAppend(t *testing.T, store Store, changes ...event.Change) []event.Recorded {
	t.Helper()
	recorded, err := store.Append(t.Context(), changes...)
	if err != nil {
		t.Fatalf("append: %v", err)
	}
	return recorded
}

func wantConflict(t *testing.T, store Store, changes ...event.Change) {
	t.Helper()
	if _, err := store.Append(t.Context(), changes...); !errors.Is(err, event.ErrConflict) {
		t.Errorf("append: %v, want %v", err, event.ErrConflict)
	}
}

func wantHistory(t *testing.T, store Store, stream event.Stream, want ...event.Event) {
	t.Helper()
	got, err := store.Load(t.Context(), stream)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	if len(want) == 0 && len(got) == 0 {
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

func readsBack(t *testing.T, store Store) {
	stream := newStream()
	wantHistory(t, store, stream)

	mustAppend(t, store, event.Change{Stream: stream, Events: counted(1, 2)})
	mustAppend(t, store, event.Change{Stream: stream, Expected: 2, Events: []event.Event{Noted{Ann, "ö <&> \u2028"}}})

	wantHistory(t, store, stream, Counted{1}, Counted{2}, Noted{Ann, event.Hidden})
}

func recordsMetadata(t *testing.T, store Store) {
	stream := newStream()
	metadata := event.Metadata{
		Actor:     event.Actor{Kind: event.ByStaff, ID: "7", OnBehalfOf: &event.OnBehalfOf{}},
		RequestID: "r1", Correlation: "c1", Causation: uuid.New(),
	}
	recorded, err := store.Append(event.WithMetadata(t.Context(), metadata), event.Change{Stream: stream, Events: counted(1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	if len(recorded) != 2 {
		t.Fatalf("recorded %d events, want 2", len(recorded))
	}
	second := recorded[1]
	if second.Version != 2 || second.Stream != stream || second.Event != (Counted{2}) || second.At.IsZero() {
		t.Errorf("recorded %+v", second)
	}
	if second.ID == recorded[0].ID || second.ID.Version() != 7 {
		t.Errorf("the event's id %s is no UUIDv7 of its own", second.ID)
	}
	if !second.At.Equal(recorded[0].At) {
		t.Error("one append has two times")
	}
	if diff := cmp.Diff(metadata, second.Metadata); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
}

func refusesStale(t *testing.T, store Store) {
	stream := newStream()
	mustAppend(t, store, event.Change{Stream: stream, Events: counted(1, 2)})

	wantConflict(t, store, event.Change{Stream: stream, Expected: 0, Events: counted(9)})
	wantConflict(t, store, event.Change{Stream: stream, Expected: 1, Events: counted(9)})
	wantHistory(t, store, stream, Counted{1}, Counted{2})
}

func refusesHoles(t *testing.T, store Store) {
	stream := newStream()
	wantConflict(t, store, event.Change{Stream: stream, Expected: 1, Events: counted(9)})

	mustAppend(t, store, event.Change{Stream: stream, Events: counted(1)})
	wantConflict(t, store, event.Change{Stream: stream, Expected: 2, Events: counted(9)})
	wantHistory(t, store, stream, Counted{1})
}

func isAtomic(t *testing.T, store Store) {
	first, second := newStream(), newStream()
	mustAppend(t, store, event.Change{Stream: second, Events: counted(1)})

	wantConflict(t, store,
		event.Change{Stream: first, Events: counted(1)},
		event.Change{Stream: second, Expected: 0, Events: counted(2)})
	wantHistory(t, store, first)

	mustAppend(t, store,
		event.Change{Stream: first, Events: counted(1)},
		event.Change{Stream: second, Expected: 1, Events: counted(2)})
	wantHistory(t, store, first, Counted{1})
	wantHistory(t, store, second, Counted{1}, Counted{2})
}

func appendsTwice(t *testing.T, store Store) {
	stream := newStream()
	mustAppend(t, store,
		event.Change{Stream: stream, Events: counted(1)},
		event.Change{Stream: stream, Expected: 1, Events: counted(2)})
	wantHistory(t, store, stream, Counted{1}, Counted{2})
}

func keepsTenantsApart(t *testing.T, store Store) {
	stream := newStream()
	mustAppend(t, store, event.Change{Stream: stream, Events: counted(1)})

	for _, tenant := range []string{"oak-lane", ""} {
		other := event.Stream{Tenant: tenant, ID: stream.ID}
		wantHistory(t, store, other)
		wantConflict(t, store, event.Change{Stream: other, Expected: 1, Events: counted(9)})
		mustAppend(t, store, event.Change{Stream: other, Events: counted(2)})
		wantConflict(t, store, event.Change{Stream: other, Events: counted(9)})
		mustAppend(t, store, event.Change{Stream: other, Expected: 1, Events: counted(3)})
		wantHistory(t, store, other, Counted{2}, Counted{3})
	}
	mustAppend(t, store, event.Change{Stream: stream, Expected: 1, Events: counted(2)})
	wantHistory(t, store, stream, Counted{1}, Counted{2})

	first, second := newStream(), event.Stream{Tenant: "oak-lane"}
	second.ID = first.ID
	mustAppend(t, store, event.Change{Stream: first, Events: counted(1)}, event.Change{Stream: second, Events: counted(2, 3)})
	wantHistory(t, store, first, Counted{1})
	wantHistory(t, store, second, Counted{2}, Counted{3})
}

func oneWinnerEachRound(t *testing.T, store Store) {
	const writers, rounds = 16, 8
	stream := newStream()
	for round := range rounds {
		var group sync.WaitGroup
		outcomes := make([]error, writers)
		for writer := range writers {
			group.Go(func() {
				_, outcomes[writer] = store.Append(t.Context(),
					event.Change{Stream: stream, Expected: round, Events: counted(round)})
			})
		}
		group.Wait()
		if err := oneWinner(outcomes); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	wantHistory(t, store, stream, counted(0, 1, 2, 3, 4, 5, 6, 7)...)
}

func oneWinner(outcomes []error) error {
	winners := 0
	for _, err := range outcomes {
		switch {
		case err == nil:
			winners++
		case !errors.Is(err, event.ErrConflict):
			return err
		}
	}
	if winners != 1 {
		return fmt.Errorf("%d writers won", winners)
	}
	return nil
}

type unknown struct{}

func (unknown) EventName() string { return "test.unknown.v1" }

func refusesUnknown(t *testing.T, store Store) {
	stream := newStream()
	_, err := store.Append(t.Context(), event.Change{Stream: stream, Events: []event.Event{Counted{1}, unknown{}}})
	if !errors.Is(err, event.ErrUnknownName) {
		t.Errorf("append: %v, want %v", err, event.ErrUnknownName)
	}
	wantHistory(t, store, stream)
}

func acceptsNothing(t *testing.T, store Store) {
	recorded, err := store.Append(t.Context(), event.Change{Stream: newStream()})
	if err != nil || len(recorded) != 0 {
		t.Errorf("recorded %v, error %v", recorded, err)
	}
}
