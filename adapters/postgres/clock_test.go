package postgres_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/fault"
)

func TestWrongClockStopsAppends_D138(t *testing.T) {
	t.Parallel()
	var wrong time.Duration
	var said bytes.Buffer
	c := postgres.NewClock(postgrestest.New(t).Pool(t), func() time.Time { return clock.System().Add(wrong) }, slog.New(slog.NewTextHandler(&said, nil)))
	if err := c.Err(); err != nil {
		t.Errorf("before it was compared: %v", err)
	}
	for _, step := range []struct {
		wrong time.Duration
		stops string // in the error
		says  string // in the log; "" if nothing changes
	}{
		{0, "", ""},
		{20 * time.Second, "", "the clock differs"},
		{25 * time.Second, "", ""},
		{-20 * time.Second, "", ""},
		{time.Hour, "1h0m0s ahead of the database's", "the clock is wrong: nothing is recorded until it is right"},
		{-time.Hour, "1h0m0s behind the database's", ""},
		{0, "", "the clock is right again"},
	} {
		wrong = step.wrong
		said.Reset()
		if err := c.Compare(t.Context()); err != nil {
			t.Fatal(err)
		}
		err := c.Err()
		if step.stops == "" && err != nil || step.stops != "" && (!errors.Is(err, postgres.ErrClock) || !strings.Contains(err.Error(), "the clock of this machine is")) {
			t.Errorf("off by %v: %v, want %q", step.wrong, err, step.stops)
		}
		if got := said.String(); (got == "") != (step.says == "") || !strings.Contains(got, step.says) {
			t.Errorf("off by %v, the log says %q, want %q", step.wrong, got, step.says)
		}
	}
	if refused, ok := errors.AsType[*fault.Error](postgres.ErrClock); !ok || refused.Kind != fault.Unavailable {
		t.Errorf("callers are refused with %+v", refused)
	}
}

// A long way to the database is no offset.
func TestSlowComparisonIsNoOffset_D138(t *testing.T) {
	t.Parallel()
	var since time.Duration
	c := postgres.NewClock(postgrestest.New(t).Pool(t), func() time.Time {
		since += 50 * time.Second
		return clock.System().Add(since - 75*time.Second) // 25 s before, and 25 s after
	}, slog.New(slog.DiscardHandler))
	if err := c.Compare(t.Context()); err != nil || c.Offset() != 0 || c.Err() != nil {
		t.Errorf("an offset of %v, %v", c.Offset(), err)
	}
}

// Without the database, the last comparison holds.
func TestComparisonHoldsWithoutDatabase_D138(t *testing.T) {
	t.Parallel()
	pool := postgrestest.New(t).Pool(t)
	c := postgres.NewClock(pool, func() time.Time { return clock.System().Add(time.Hour) }, slog.New(slog.DiscardHandler))
	if err := c.Compare(t.Context()); err != nil {
		t.Fatal(err)
	}
	pool.Close()
	if err := c.Compare(t.Context()); err == nil || c.Err() == nil {
		t.Errorf("compared with %v, and then %v", err, c.Err())
	}
	if err := (*postgres.Clock)(nil).Err(); err != nil {
		t.Errorf("without a clock: %v", err)
	}
}
