package eventstore_test

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

func TestAppendIsRefusedWhileClockIsWrong_D138(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	wrong := -time.Minute
	e.Store.Clock = postgres.NewClock(e.Pool, func() time.Time { return clock.System().Add(wrong) }, slog.New(slog.DiscardHandler))
	change := event.Change{Stream: enginetest.NewStream(), Events: []event.Event{eventtest.Noted{Note: "a"}}}
	for _, want := range []error{postgres.ErrClock, nil} {
		if err := e.Store.Clock.Compare(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Store.Append(t.Context(), change); !errors.Is(err, want) {
			t.Errorf("off by %v: %v, want %v", wrong, err, want)
		}
		wrong = time.Second
	}
	if n := e.count(t, "events"); n != 1 {
		t.Errorf("%d events are stored, want 1", n)
	}
}
