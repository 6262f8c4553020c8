package applications_test

import (
	"testing"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/application"
	"frontdesk/projections/applications"
	"frontdesk/projections/projectionstest"
)

// manyCalls is a practice with a hundred busy applications, an application at a
// thousand practices, and their webhooks. The plans are the same with a million.
var manyCalls = []string{
	`INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, status, code, reason, token_hash)
	SELECT ('019cae6c' || lpad(to_hex(n), 24, '0'))::uuid, now(), CASE WHEN n % 2 = 0 THEN 'elm-street' ELSE 'practice-' || n % 1000 END,
		CASE WHEN n % 2 = 0 THEN md5('app' || n % 200)::uuid ELSE '0190c7a2-0000-7000-8000-000000000011' END, 'application-restricted', 'create-note', CASE WHEN n % 1000 = 0 THEN 403 ELSE 200 END, '', '', ''
	FROM generate_series(1, 100000) n`,
	`INSERT INTO deliveries (event, application, idx, tenant, kind, subject, destination, happened_at, not_after, status)
	SELECT ('019cae6c' || lpad(to_hex(n / 100), 24, '0'))::uuid, md5('app' || n % 200)::uuid, n, 'elm-street', 'record.opened', gen_random_uuid(), gen_random_uuid(), now(), now(), 'delivered'
	FROM generate_series(1, 50000) n`,
	`ANALYZE access_record`, `ANALYZE deliveries`,
}

// However many lines there are, a page reads at most 2,000 of each index.
func TestPageReadsFewLines_D95(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	for _, sql := range manyCalls {
		projectionstest.Exec(t, db.AdminPool(t), sql)
	}
	asked := &projectionstest.Explainer{Querier: db.Pool(t), T: t}
	one := func(sql string) (id uuid.UUID) {
		t.Helper()
		projectionstest.Must(t, db.Pool(t).QueryRow(t.Context(), sql).Scan(&id))
		return id
	}
	busy := application.ID{UUID: one(`SELECT md5('app4')::uuid`)}
	for name, b := range map[string]applications.Bounds{
		"one of a hundred applications": {Tenant: elm, Application: busy},
		"one of a thousand practices":   {Tenant: "practice-1", Application: referrals},
		"nothing":                       {Tenant: elm, Application: referrals},
	} {
		for page := range 3 {
			b.Limit = 50
			calls, err := applications.Calls{DB: asked}.List(t.Context(), b, page != 2, true)
			if projectionstest.Must(t, err); asked.Most > 2*2000 {
				t.Errorf("%s, page %d: %d lines for %d calls", name, page, asked.Most, len(calls.Rows))
			}
			told, err := applications.Deliveries{DB: asked}.List(t.Context(), applications.DeliveryFilter{Bounds: b})
			if projectionstest.Must(t, err); asked.Most > 2*2000 {
				t.Errorf("%s, page %d: %d lines for %d webhooks", name, page, asked.Most, len(told.Rows))
			}
			b.Before = calls.Before
		}
	}
	if _, err := (applications.Calls{DB: asked}).Call(t.Context(), elm, busy, uuid.Max); err != nil || asked.Most > 1 {
		t.Errorf("%d lines for one call, %v", asked.Most, err)
	}
	told := applications.DeliveryFilter{Bounds: applications.Bounds{Tenant: elm, Application: busy, Limit: 50}, JTI: one(`SELECT event FROM deliveries LIMIT 1`)}
	if _, err := (applications.Deliveries{DB: asked}).List(t.Context(), told); err != nil || asked.Most > 200 {
		t.Errorf("%d lines for one webhook, %v", asked.Most, err)
	}
}
