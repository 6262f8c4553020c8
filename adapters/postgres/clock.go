package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/background"
	"frontdesk/domain/fault"
)

// CollectLimit is the time that one collection of metrics may take.
const CollectLimit = 2 * time.Second

// ClockOffset measures how far this machine's clock is from the database's, each time that
// the metrics are collected.
func ClockOffset(pool *pgxpool.Pool, now func() time.Time) prometheus.Collector {
	return &clockOffset{pool, now, prometheus.NewDesc("frontdesk_clock_offset_seconds",
		"How far this process's clock is ahead of the database's, at least; below 0 it is behind. It is 0 if both may be the same, for all that the way there tells.", nil, nil)}
}

type clockOffset struct {
	pool   *pgxpool.Pool
	now    func() time.Time
	offset *prometheus.Desc
}

// Describe sends the description of the figure.
func (c *clockOffset) Describe(out chan<- *prometheus.Desc) { out <- c.offset }

// Collect sends the figure, and none if the database does not answer.
func (c *clockOffset) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), CollectLimit)
	defer cancel()
	if offset, err := measureClock(ctx, c.pool, c.now); err == nil {
		out <- prometheus.MustNewConstMetric(c.offset, prometheus.GaugeValue, offset.Seconds())
	}
}

// measureClock returns how far a clock is ahead of the database's, at least.
func measureClock(ctx context.Context, pool *pgxpool.Pool, now func() time.Time) (time.Duration, error) {
	conn, err := Acquire(ctx, pool) // before the clock is read, so that a busy pool is taken for no offset
	if err != nil {
		return 0, err
	}
	defer conn.Release()
	var there time.Time
	before := now()
	if err := conn.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&there); err != nil {
		return 0, fmt.Errorf("read the database's clock: %w", err)
	}
	return offsetOf(there, before, now()), nil
}

// offsetOf returns how far a clock is ahead of another one, at least, given two times of it
// and a time of the other in between.
func offsetOf(there, before, after time.Time) time.Duration {
	switch {
	case there.Before(before):
		return before.Sub(there)
	case there.After(after):
		return after.Sub(there)
	}
	return 0
}

// MoveClock moves the clock by which erasures wait in one database, as a superuser: a
// sandbox's clock moves, and a day passes in tests. Erasures in other databases wait by the
// clock of the machine, because only a superuser can own the table (D135).
func MoveClock(ctx context.Context, superuserURL string, ahead time.Duration) error {
	conn, err := pgx.Connect(ctx, superuserURL)
	if err != nil {
		return fmt.Errorf("move the clock of erasures: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	_, err = conn.Exec(ctx, fmt.Sprintf(`
		CREATE SCHEMA IF NOT EXISTS sandbox;
		CREATE TABLE IF NOT EXISTS sandbox.moved_clock (ahead interval NOT NULL);
		GRANT USAGE ON SCHEMA sandbox TO PUBLIC;
		GRANT SELECT ON sandbox.moved_clock TO PUBLIC;
		DELETE FROM sandbox.moved_clock;
		INSERT INTO sandbox.moved_clock VALUES (interval '%d microseconds')`, ahead.Microseconds()))
	if err != nil {
		return fmt.Errorf("move the clock of erasures: %w", err)
	}
	return nil
}

// The limits of a clock's offset (D138).
const (
	ClockWarns = 2 * time.Second  // beyond it, the operator is warned
	ClockStops = 30 * time.Second // beyond it, nothing is appended

	clockEvery = 10 * time.Second // between two comparisons
	clockLimit = 2 * time.Second  // for one of them
)

// ErrClock refuses an append of a machine whose clock is wrong.
var ErrClock = fault.New(fault.Unavailable, "unavailable", "The service's clock is wrong, so it records nothing now. Try again shortly.")

// ClockError is [ErrClock] with the offset, for the operator.
type ClockError struct{ Offset time.Duration }

// Error names the offset, and the fix.
func (e *ClockError) Error() string {
	where := "ahead of"
	if e.Offset < 0 {
		where = "behind"
	}
	return fmt.Sprintf("the clock of this machine is %s %s the database's: set the one that is wrong, and see chronyc tracking or timedatectl. Until then nothing is recorded",
		e.Offset.Abs().Round(time.Second), where)
}

// Unwrap returns the error for callers.
func (e *ClockError) Unwrap() error { return ErrClock }

// Clock compares the machine's clock, which dates all records, with the database's. A nil
// Clock is always right.
type Clock struct {
	pool   *pgxpool.Pool
	now    func() time.Time
	log    *slog.Logger
	offset atomic.Int64 // at the last comparison
}

// NewClock returns a Clock that was not compared yet. Now is the machine's time.
func NewClock(pool *pgxpool.Pool, now func() time.Time, log *slog.Logger) *Clock {
	return &Clock{pool: pool, now: now, log: log}
}

// Run compares the clocks every ten seconds, until ctx ends.
func (c *Clock) Run(ctx context.Context) {
	background.Loop{Every: clockEvery, Do: c.Compare, Fails: "the clock could not be compared with the database's", Log: c.log}.Run(ctx)
}

// Compare compares the clocks once. If it fails, the result of the last time holds.
func (c *Clock) Compare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, clockLimit)
	defer cancel()
	offset, err := measureClock(ctx, c.pool, c.now)
	if err != nil {
		return err
	}
	c.report(ctx, time.Duration(c.offset.Swap(int64(offset))), offset)
	return nil
}

// report logs a change of the offset's consequence.
func (c *Clock) report(ctx context.Context, before, offset time.Duration) {
	about := slog.Duration("ahead", offset)
	switch grade := gradeOf(offset); {
	case grade == gradeOf(before):
	case grade == clockStops:
		c.log.ErrorContext(ctx, "the clock is wrong: nothing is recorded until it is right", about)
	case grade == clockWarns:
		c.log.WarnContext(ctx, "the clock differs from the database's", about)
	default:
		c.log.InfoContext(ctx, "the clock is right again", about)
	}
}

// Consequences of an offset.
const (
	clockFits = iota
	clockWarns
	clockStops
)

func gradeOf(offset time.Duration) int {
	switch {
	case offset.Abs() > ClockStops:
		return clockStops
	case offset.Abs() > ClockWarns:
		return clockWarns
	}
	return clockFits
}

// Offset returns how far the clock was ahead of the database's, at least, when they were
// compared last.
func (c *Clock) Offset() time.Duration {
	if c == nil {
		return 0
	}
	return time.Duration(c.offset.Load())
}

// Err returns a [ClockError] if the clock is so wrong that nothing may be recorded.
func (c *Clock) Err() error {
	if offset := c.Offset(); gradeOf(offset) == clockStops {
		return &ClockError{offset}
	}
	return nil
}
