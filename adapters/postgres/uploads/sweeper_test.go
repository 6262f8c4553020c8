package uploads_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/postgres/uploads"
)

// A sweep goes on until nothing is left that is too old, in short transactions. It never
// comes back to an upload that it has found named, so that a sweep takes as long after
// years as on the first day.
func TestASweepLooksAtEachUploadOnce(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	const begun = 2500 // more than two transactions
	_, err := c.pool.Exec(t.Context(), `
		WITH begun AS (INSERT INTO uploads SELECT 'elm-street', md5(n::text)::uuid, $1 FROM generate_series(1, $2::int) n)
		INSERT INTO answers SELECT 'elm-street', decode(md5(n::text), 'hex'), '', md5(n::text)::uuid, $1, NULL, '' FROM generate_series(1, $2) n`, enginetest.Noon, begun)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.pool.Exec(t.Context(), `
		INSERT INTO attachments SELECT tenant, upload, upload, upload, 1, '' FROM uploads ORDER BY upload LIMIT $1`, begun/2)
	if err != nil {
		t.Fatal(err)
	}
	sweeper := uploads.Sweeper{DB: postgres.On(c.pool), Uploads: c.Store, Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return enginetest.Noon.AddDate(0, 0, 2) }, RealNow: func() time.Time { return enginetest.Noon.AddDate(0, 0, 2) }}
	if err := sweeper.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if uploads, looked, answers := c.count(t, "uploads"), c.count(t, "uploads WHERE named"), c.count(t, "answers"); uploads != begun/2 || looked != uploads || answers != 0 {
		t.Errorf("%d uploads are left, of which %d need no second look, and %d answers", uploads, looked, answers)
	}
}

// A sweep that fails is counted, is no sweep that came to its end, and keeps no other from it.
func TestSweepsAreCounted_D110(t *testing.T) {
	t.Parallel()
	c, registry := newCabinet(t), prometheus.NewRegistry()
	now := enginetest.Noon.AddDate(0, 0, 2)
	later := func() time.Time { return now }
	closed := postgrestest.New(t).Pool(t)
	closed.Close()
	working, away := postgres.On(c.pool), postgres.On(closed)
	sweeper := uploads.Sweeper{
		DB: working, Uploads: c.Store, Now: later, RealNow: later, Log: slog.New(slog.DiscardHandler), Metrics: uploads.NewSweepMetrics(registry, later),
	}
	_, err := c.pool.Exec(t.Context(), `INSERT INTO uploads SELECT 'elm-street', md5(n::text)::uuid, $1 FROM generate_series(1, 3) n`, enginetest.Noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := sweeper.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	sweeper.DB, now = away, now.Add(time.Hour)
	if sweeper.Sweep(t.Context()) == nil {
		t.Error("a sweep of answers without a database succeeds")
	}
	noAnswers := float64(now.Unix())
	sweeper.DB, sweeper.Uploads, now = working, &uploads.Store{DB: away, Now: later}, now.Add(time.Hour)
	if sweeper.Sweep(t.Context()) == nil {
		t.Error("a sweep of uploads without a database succeeds")
	}
	noUploads := float64(now.Unix())
	want := map[string]float64{
		"swept_total uploads": 3, "swept_total answers": 0, "swept_total deliveries": 0,
		"sweep_failures_total uploads": 1, "sweep_failures_total answers": 1, "sweep_failures_total deliveries": 0,
		"sweep_completed_timestamp_seconds uploads": noAnswers, "sweep_completed_timestamp_seconds answers": noUploads,
	}
	if diff := cmp.Diff(want, enginetest.Gathered(t, registry)); diff != "" {
		t.Errorf("counted (-want +got):\n%s", diff)
	}
}
