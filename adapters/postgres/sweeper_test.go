package postgres_test

import (
	"log/slog"
	"testing"
	"time"

	"frontdesk/adapters/postgres"
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
		INSERT INTO answers SELECT 'elm-street', decode(md5(n::text), 'hex'), '', md5(n::text)::uuid, $1, NULL, '' FROM generate_series(1, $2) n`, noon, begun)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.pool.Exec(t.Context(), `
		INSERT INTO attachments SELECT tenant, upload, upload, upload, 1, '' FROM uploads ORDER BY upload LIMIT $1`, begun/2)
	if err != nil {
		t.Fatal(err)
	}
	sweeper := postgres.Sweeper{DB: postgres.On(c.pool), Uploads: c.Uploads, Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return noon.AddDate(0, 0, 2) }, RealNow: func() time.Time { return noon.AddDate(0, 0, 2) }}
	if err := sweeper.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if uploads, looked, answers := c.count(t, "uploads"), c.count(t, "uploads WHERE named"), c.count(t, "answers"); uploads != begun/2 || looked != uploads || answers != 0 {
		t.Errorf("%d uploads are left, of which %d need no second look, and %d answers", uploads, looked, answers)
	}
}
