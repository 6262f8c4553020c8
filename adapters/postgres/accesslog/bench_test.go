package accesslog_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/enginetest"
)

// BenchmarkAccessRecord compares lines that get their numbers as they are written with
// lines of a table that gives none. A turn writes batches of so many lines, as the
// recorder does, by two processes at once.
func BenchmarkAccessRecord(b *testing.B) {
	admin, _, e := enginetest.Durable(b, 8)
	for _, statement := range []string{
		`INSERT INTO practices (tenant, name, time_zone) SELECT 'practice-' || n, 'Elm', 'UTC' FROM generate_series(1, 1000) n`,
		`CREATE SCHEMA plain AUTHORIZATION frontdesk_owner`,
		`CREATE TABLE plain.access_record (LIKE access_record INCLUDING DEFAULTS, PRIMARY KEY (request_id)) PARTITION BY RANGE (request_id)`,
		`CREATE TABLE plain.access_record_default (LIKE access_record_default INCLUDING ALL)`,
		`ALTER TABLE plain.access_record ATTACH PARTITION plain.access_record_default DEFAULT`,
		`GRANT USAGE ON SCHEMA plain TO frontdesk_app; GRANT SELECT, INSERT ON plain.access_record TO frontdesk_app`,
		`ANALYZE`,
	} {
		enginetest.MustExec(b, admin, statement)
	}
	config := e.Pool.Config()
	config.ConnConfig.RuntimeParams["search_path"] = "plain, public"
	plain, err := pgxpool.NewWithConfig(b.Context(), config)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(plain.Close)
	for _, lines := range []int{1, 50, 500} {
		b.Run(fmt.Sprintf("lines=%d", lines), func(b *testing.B) {
			benchtest.Comparison{
				Ratio:   "of-plain",
				Floor:   benchtest.Rate{Unit: "plain-lines/s", Turn: recording(b, plain, lines)},
				Rate:    benchtest.Rate{Unit: "lines/s", Turn: recording(b, e.Pool, lines)},
				Cluster: benchtest.ClusterOf(b, admin),
			}.Run(b)
		})
	}
}

// recording is a turn of writing batches. Its work is counted in lines.
func recording(b *testing.B, pool *pgxpool.Pool, lines int) func() benchtest.Work {
	b.Helper()
	write := func(context.Context) error {
		own := &register{Recorder: accesslog.NewRecorder(pool, prometheus.NewRegistry(), slog.New(slog.DiscardHandler))}
		for n := range lines {
			c := aCall()
			c.Act, c.Tenant = nil, fmt.Sprintf("practice-%d", 1+(n*37)%1000)
			own.Record(c)
		}
		own.runOnce(b)
		return nil
	}
	return func() benchtest.Work {
		work := benchtest.During(b, 2, 400*time.Millisecond, write)
		work.Done *= float64(lines)
		return work
	}
}
