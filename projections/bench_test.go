package projections_test

import (
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/projections"
	"frontdesk/projections/projectionstest"
)

// BenchmarkRights is the authorisation query among 1,000 practices and 200
// applications, for a user and for an application on its own account. It runs
// alternately with SELECT 1 on the same connection, the minimum for a query. x-select-1
// is the ratio; the goals are 2.6 for a user and 2.2 for an application.
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
	user, now := busyClaim(b, admin), time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	itself := user
	itself.Mode, itself.Username = application.ApplicationRestricted, ""
	least := func() error {
		var one int
		return conn.QueryRow(b.Context(), `SELECT 1`).Scan(&one)
	}
	rights := func(claim access.Claim, patients int) func() error {
		return func() error {
			found, err := projections.Rights{DB: conn}.Rights(b.Context(), claim, now)
			if err == nil && (!found.Granted || len(found.Patients) != patients) {
				b.Fatalf("found %+v", found)
			}
			return err
		}
	}
	b.Run("select-1", func(b *testing.B) {
		for b.Loop() {
			projectionstest.Must(b, least())
		}
	})
	b.Run("user", func(b *testing.B) { beside(b, least, rights(user, 2)) })
	b.Run("application", func(b *testing.B) { beside(b, least, rights(itself, 0)) })
}

// beside alternates a hundred runs of work and of the minimum, so that both meet the
// same machine, and reports only the work.
func beside(b *testing.B, least, work func() error) {
	b.Helper()
	var first, second time.Duration
	turns := 0
	for turn := 0; b.Loop(); turn++ {
		if turn%100 == 0 {
			first += timeOf(b, 100, least)
			turns++
		}
		second += timeOf(b, 1, work)
	}
	one := float64(first) / float64(100*turns)
	b.ReportMetric(float64(second)/float64(b.N), "ns/op")
	b.ReportMetric(float64(second)/float64(b.N)/one, "x-select-1")
}

func timeOf(b *testing.B, runs int, work func() error) time.Duration {
	b.Helper()
	start := clock.Start()
	for range runs {
		projectionstest.Must(b, work())
	}
	return start.Elapsed()
}
