package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
)

// CollectLimit is the time that one collection of metrics may take.
const CollectLimit = 2 * time.Second

// ClockOffset measures how far this process's clock is from the database's, each time that
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
	conn, err := c.pool.Acquire(ctx) // before the clock is read, so that a busy pool is taken for no offset
	if err != nil {
		return
	}
	defer conn.Release()
	var there time.Time
	before := c.now()
	if err := conn.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&there); err != nil {
		return
	}
	out <- prometheus.MustNewConstMetric(c.offset, prometheus.GaugeValue, offsetOf(there, before, c.now()).Seconds())
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
