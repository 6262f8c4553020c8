package projections_test

import (
	"testing"
	"time"

	"frontdesk/projections"
)

// BenchmarkRights is the authorisation query among 1,000 practices and 200
// applications, beside the least that a query can be on the same connection.
// x-select-1 is the ratio; the goal is 2.5.
func BenchmarkRights(b *testing.B) {
	admin, db := populous(b)
	if _, err := admin.Exec(b.Context(), `VACUUM ANALYZE`); err != nil {
		b.Fatal(err)
	}
	conn, err := db.Pool(b).Acquire(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Release()
	claim, now := busyClaim(b, admin), time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	least := func() error {
		var one int
		return conn.QueryRow(b.Context(), `SELECT 1`).Scan(&one)
	}
	rights := func() error {
		found, err := projections.Judge{DB: conn}.Rights(b.Context(), claim, now)
		if err == nil && (!found.Granted || found.AuthorisedUntil.IsZero() || len(found.Patients) != 2) {
			b.Fatalf("found %+v", found)
		}
		return err
	}
	b.Run("select-1", func(b *testing.B) { repeat(b, least) })
	b.Run("rights", func(b *testing.B) {
		one := timeOf(b, least)
		repeat(b, rights)
		b.ReportMetric(float64(b.Elapsed())/float64(b.N)/one, "x-select-1")
	})
	// An application for itself: the same query, with less to find.
	claim.Username = ""
	own := func() error {
		_, err := projections.Judge{DB: conn}.Rights(b.Context(), claim, now)
		return err
	}
	b.Run("own-rights", func(b *testing.B) {
		one := timeOf(b, least)
		repeat(b, own)
		b.ReportMetric(float64(b.Elapsed())/float64(b.N)/one, "x-select-1")
	})
}

func repeat(b *testing.B, work func() error) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		if err := work(); err != nil {
			b.Fatal(err)
		}
	}
}

// timeOf is what one run of work takes, in nanoseconds, right now on this machine.
func timeOf(b *testing.B, work func() error) float64 {
	b.Helper()
	const runs = 2000
	start := time.Now()
	for range runs {
		if err := work(); err != nil {
			b.Fatal(err)
		}
	}
	return float64(time.Since(start)) / runs
}
