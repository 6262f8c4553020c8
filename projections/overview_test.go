package projections_test

import (
	"testing"
	"time"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/projections"
	"frontdesk/projections/projectionstest"
)

// However many requests and appointments a practice has, its overview reads those of the day, and
// up to 1,000 of those that wait.
func TestOverviewReadsOneDay_D156(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	if _, err := db.AdminPool(t).Exec(t.Context(), manyRequests+`
		INSERT INTO sites SELECT 'elm-street', md5('site' || n)::uuid, 'Site ' || n FROM generate_series(1, 3) n;
		INSERT INTO appointments (tenant, appointment, patient, site, starts_at, status)
		SELECT 'elm-street', md5('visit' || n)::uuid, md5('patient' || n % 3000)::uuid, md5('site' || 1 + n % 3)::uuid, timestamptz '2026-01-01' + n * interval '5 minutes', 'booked'
		FROM generate_series(1, 20000) n;
		ANALYZE appointments, sites;`); err != nil {
		t.Fatal(err)
	}
	asked := &projectionstest.Explainer{Querier: db.Pool(t), T: t}
	overview, day := projections.Overview{DB: asked}, time.Date(2026, 1, 14, 0, 0, 0, 0, time.UTC)
	if all, err := overview.Waiting(t.Context(), elm, today); err != nil || len(all) != 2 || all[0].New == 0 || all[0].Oldest == nil || asked.Most > 1000 {
		t.Errorf("%+v, %d rows were read, %v", all, asked.Most, err)
	}
	asked.Most = 0
	if hours, err := overview.Hours(t.Context(), elm, day); err != nil || len(hours) == 0 || asked.Most > 5000 {
		t.Errorf("%d hours, %d rows were read, %v", len(hours), asked.Most, err)
	}
	asked.Most = 0
	sites, err := overview.Sites(t.Context(), elm, day, day.AddDate(0, 0, 1))
	if err != nil || len(sites) != 3 || sites[0].Booked != 96 || asked.Most > 3*97 {
		t.Errorf("%+v, %d rows were read, %v", sites, asked.Most, err)
	}
}
