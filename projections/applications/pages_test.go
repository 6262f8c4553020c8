package applications_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/projections/applications"
	"frontdesk/projections/projectionstest"
)

// all pages through an application's rows, and calls between after each page.
func all[Row any](t *testing.T, page func(before uuid.UUID) (applications.Page[Row], error), between func()) (rows []Row) {
	t.Helper()
	before := uuid.Nil
	for n := 0; n == 0 || before != uuid.Nil; n++ {
		if n > 100 {
			t.Fatal("it does not end")
		}
		found, err := page(before)
		projectionstest.Must(t, err)
		rows, before = append(rows, found.Rows...), found.Before
		between()
	}
	return rows
}

func (d *day) ownCalls(t *testing.T, tenant string, app application.ID, limit int, between func()) (ids []uuid.UUID) {
	t.Helper()
	for _, call := range all(t, func(before uuid.UUID) (applications.Page[access.OwnCall], error) {
		return applications.Calls{DB: d.Pool}.List(t.Context(), applications.Bounds{Tenant: tenant, Application: app, Before: before, Limit: limit}, true, true)
	}, between) {
		ids = append(ids, call.RequestID)
	}
	return ids
}

// An application sees each of its calls at the practice exactly once, also while new
// ones are recorded.
func TestPagesAreComplete_D95(t *testing.T) {
	t.Parallel()
	d := enabled(t)
	for n := range 25 {
		d.call(t, elm, referrals, -time.Duration(n)*time.Minute, 200)
		d.call(t, elm, diary, -time.Duration(n)*time.Minute, 200)
		d.call(t, oak, referrals, -time.Duration(n)*time.Minute, 200)
	}
	want := d.ids(t, elm, referrals)
	if len(want) != 25 {
		t.Fatalf("%d calls", len(want))
	}
	later := time.Minute
	for _, limit := range []int{1, 7, 25, 200} {
		got := d.ownCalls(t, elm, referrals, limit, func() { later += time.Second; d.call(t, elm, referrals, later, 200) })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d at once: %s", limit, diff)
		}
		want = d.ids(t, elm, referrals)
	}
	if got := d.ownCalls(t, "nobodys", referrals, 10, func() {}); got != nil {
		t.Errorf("at no practice: %v", got)
	}
}

// ids are those of an application's calls at a practice, newest first.
func (d *day) ids(t *testing.T, tenant string, app application.ID) (ids []uuid.UUID) {
	t.Helper()
	rows, err := d.Pool.Query(t.Context(), `SELECT request_id FROM access_record WHERE tenant = $1 AND application = $2 ORDER BY request_id DESC`, tenant, app)
	projectionstest.Must(t, err)
	defer rows.Close()
	for rows.Next() {
		var id uuid.UUID
		projectionstest.Must(t, rows.Scan(&id))
		ids = append(ids, id)
	}
	return ids
}

// However busy both are with others, a page reads a bounded number of lines, and the
// next one continues.
func TestPagesAreBounded_D95(t *testing.T) {
	t.Parallel()
	d := enabled(t)
	d.call(t, elm, referrals, 0, 200)
	d.busy(t, elm, diary, 5000) // two pages leave a thousand of each: how the two lie within each other is random
	d.busy(t, oak, referrals, 5000)
	d.call(t, elm, referrals, time.Minute, 200)
	pages := 0
	got := d.ownCalls(t, elm, referrals, 10, func() { pages++ })
	if diff := cmp.Diff(d.ids(t, elm, referrals), got); diff != "" || pages != 3 {
		t.Errorf("%d pages: %s", pages, diff)
	}
	pages = 0
	if got := d.ownCalls(t, "nobodys", referrals, 10, func() { pages++ }); got != nil || pages != 1 {
		t.Errorf("at no practice it has %v on %d pages", got, pages)
	}
}

// A key finds the calls of one application at one practice.
func TestCallsWithKey_D146(t *testing.T) {
	t.Parallel()
	d := enabled(t)
	calls := applications.Calls{DB: d.Pool}
	key := access.KeyDigest(referrals, "my key")
	add := func(tenant string, app application.ID, at time.Time, key event.Digest, replayed bool, further *string) uuid.UUID {
		t.Helper()
		id := lowest(at)
		projectionstest.Exec(t, d.Pool, `INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, status, code, reason, token_hash, idempotency_key, replayed, further)
			VALUES ($1, $2, $3, $4, 'application-restricted', 'create-note', 200, '', '', '', $5, $6, $7)`, id, at, tenant, app, key[:], replayed, further)
		return id
	}
	first := add(elm, referrals, noon, key, false, new(`[{"code":"empty-note","reason":"none"}]`))
	again := add(elm, referrals, noon.Add(time.Minute), key, true, nil)
	add(elm, referrals, noon.Add(2*time.Minute), access.KeyDigest(referrals, "another"), false, nil)
	add(elm, application.ID{UUID: event.NewID()}, noon.Add(3*time.Minute), key, false, nil)
	add("oak-lane", referrals, noon.Add(4*time.Minute), key, false, nil)
	found, err := calls.WithKey(t.Context(), elm, referrals, key, 10)
	if projectionstest.Must(t, err); len(found) != 2 || found[0].RequestID != again || !found[0].Replayed || found[1].RequestID != first || found[1].Replayed {
		t.Errorf("found %+v", found)
	}
	if diff := cmp.Diff([]access.Problem{{Code: "empty-note", Reason: "none"}}, found[1].Further); diff != "" {
		t.Errorf("further refusals: %s", diff)
	}
	if found, err = calls.WithKey(t.Context(), elm, referrals, key, 1); err != nil || len(found) != 1 || found[0].RequestID != again {
		t.Errorf("of one call, found %+v, %v", found, err)
	}
}

func TestOwnCallsShowResults_D95(t *testing.T) {
	t.Parallel()
	d := enabled(t)
	id := lowest(noon)
	projectionstest.Exec(t, d.Pool, `INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, status, code, reason, token_hash, took_ms, user_agent)
		VALUES ($1, $2, $3, $4, 'application-restricted', 'create-note', 403, 'unauthorized', 'The app has not been granted access to this tenant', '', 12, 'curl/8.5.0')`, id, noon, elm, referrals)
	d.call(t, elm, referrals, -time.Minute, 200)
	calls := applications.Calls{DB: d.Pool}
	bounds := applications.Bounds{Tenant: elm, Application: referrals, Limit: 10}
	refused := access.OwnCall{
		RequestID: id, At: noon, Endpoint: "create-note", Mode: "application-restricted", Status: 403, Code: "unauthorized",
		Reason: "The app has not been granted access to this tenant", Rule: access.RuleEnabled, Agent: "curl/8.5.0", Took: new(12 * time.Millisecond),
	}
	answered := access.OwnCall{RequestID: d.ids(t, elm, referrals)[1], At: noon.Add(-time.Minute), Endpoint: "create-note", Mode: "user-restricted", Status: 200, Reason: "why"}
	for name, test := range map[string]struct {
		answered, refused bool
		want              []access.OwnCall
	}{
		"all": {true, true, []access.OwnCall{refused, answered}}, "answered": {true, false, []access.OwnCall{answered}}, "refused": {false, true, []access.OwnCall{refused}},
	} {
		page, err := calls.List(t.Context(), bounds, test.answered, test.refused)
		projectionstest.Must(t, err)
		if diff := cmp.Diff(test.want, page.Rows); diff != "" || page.Before != uuid.Nil {
			t.Errorf("%s: %s, then %s", name, diff, page.Before)
		}
	}
	// Calls about the application itself are only found by their request id.
	asking := lowest(noon.Add(time.Second))
	projectionstest.Exec(t, d.Pool, `INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, status, code, reason, token_hash)
		VALUES ($1, $2, $3, $4, 'application-restricted', 'application/calls', 200, '', '', '')`, asking, noon, elm, referrals)
	page, err := calls.List(t.Context(), bounds, true, true)
	if projectionstest.Must(t, err); len(page.Rows) != 2 {
		t.Errorf("calls about itself are listed: %+v", page.Rows)
	}
	for _, test := range []struct {
		tenant string
		app    application.ID
		found  bool
	}{{elm, referrals, true}, {oak, referrals, false}, {elm, diary, false}} {
		found, err := calls.Call(t.Context(), test.tenant, test.app, asking)
		if projectionstest.Must(t, err); (found != nil) != test.found {
			t.Errorf("%s at %s finds %v", test.app, test.tenant, found)
		}
	}
}

// A delivery keeps its values when the application registers others. Without its
// details, it shows the rest.
func TestOwnDeliveriesShowResults_D95(t *testing.T) {
	t.Parallel()
	d := enabled(t)
	sent, old, waits := lowest(noon), lowest(noon.Add(-time.Hour)), lowest(noon.Add(time.Minute))
	projectionstest.Exec(t, d.Pool, `INSERT INTO deliveries (event, application, idx, tenant, kind, subject, destination, happened_at, not_after, status, reason, http_status, kid, claimed_at, finished_at, url)
		VALUES ($1, $2, 1, $3, 'record.opened', gen_random_uuid(), gen_random_uuid(), $4, $4, 'failed', 'http_5xx', 502, 'k', $4::timestamptz + interval '1 second', $4::timestamptz + interval '3 seconds', 'https://app.example/then')`,
		sent, referrals, elm, noon)
	projectionstest.Exec(t, d.Pool, `INSERT INTO delivered (event, application, idx, tenant, kind, destination, happened_at, finished_at, status)
		VALUES ($1, $2, 1, $3, 'record.opened', gen_random_uuid(), $4, $4, 'delivered')`, old, referrals, elm, noon.Add(-time.Hour))
	projectionstest.Exec(t, d.Pool, `INSERT INTO deliveries (event, application, idx, tenant, kind, subject, destination, happened_at, not_after, status, claimed_at, finished_at)
		VALUES ($1, $2, 1, $3, 'record.opened', gen_random_uuid(), gen_random_uuid(), $4, $4, 'expired', $4, $4)`, waits, referrals, elm, noon.Add(time.Minute))
	d.deliver(t, oak, 0, "failed", "http_5xx")
	projectionstest.Exec(t, d.Pool, `UPDATE deliveries SET application = $1 WHERE tenant = $2`, referrals, oak)
	projectionstest.Exec(t, d.Pool, `INSERT INTO deliveries (event, application, idx, tenant, kind, subject, destination, happened_at, not_after) VALUES ($1, $2, 1, $3, 'record.opened', gen_random_uuid(), gen_random_uuid(), $4, $4)`,
		sent, diary, elm, noon)

	failed := applications.Delivery{
		JTI: sent, Event: "record.opened", URL: "https://app.example/then", Outcome: "failed", Reason: "http_5xx", HappenedAt: noon,
		SentAt: new(noon.Add(time.Second)), FinishedAt: new(noon.Add(3 * time.Second)), Status: new(502),
	}
	forgotten := applications.Delivery{JTI: old, Event: "record.opened", Outcome: "delivered", HappenedAt: noon.Add(-time.Hour), FinishedAt: new(noon.Add(-time.Hour))}
	expired := applications.Delivery{JTI: waits, Event: "record.opened", Outcome: "expired", HappenedAt: noon.Add(time.Minute), FinishedAt: new(noon.Add(time.Minute))}
	for name, test := range map[string]struct {
		asked applications.DeliveryFilter
		want  []applications.Delivery
	}{
		"all":     {applications.DeliveryFilter{}, []applications.Delivery{expired, failed, forgotten}},
		"one":     {applications.DeliveryFilter{JTI: sent}, []applications.Delivery{failed}},
		"from":    {applications.DeliveryFilter{From: noon}, []applications.Delivery{expired, failed}},
		"until":   {applications.DeliveryFilter{Until: noon}, []applications.Delivery{forgotten}},
		"between": {applications.DeliveryFilter{From: noon, Until: noon.Add(time.Second)}, []applications.Delivery{failed}},
		"outcome": {applications.DeliveryFilter{Outcome: "delivered"}, []applications.Delivery{forgotten}},
		"unknown": {applications.DeliveryFilter{JTI: uuid.Max}, nil},
	} {
		test.asked.Tenant, test.asked.Application, test.asked.Limit = elm, referrals, 10
		page, err := applications.Deliveries{DB: d.Pool}.List(t.Context(), test.asked)
		projectionstest.Must(t, err)
		if diff := cmp.Diff(test.want, page.Rows, cmpopts.EquateApproxTime(0)); diff != "" || page.Before != uuid.Nil {
			t.Errorf("%s (-want +got), then %s:\n%s", name, page.Before, diff)
		}
	}
}

// An event that very many applications receive is shown to each of them, although a
// page ends in the middle of them.
func TestDeliveryIsOnOnePage_D95(t *testing.T) {
	t.Parallel()
	d := enabled(t)
	projectionstest.Exec(t, d.Pool, `INSERT INTO deliveries (event, application, idx, tenant, kind, subject, destination, happened_at, not_after)
		SELECT ('0190c7a2-0000-7000-8000-' || lpad(to_hex(e), 12, '0'))::uuid, CASE WHEN a = 150 THEN $1 ELSE md5('a' || a)::uuid END, 1, $2, 'record.opened', gen_random_uuid(), gen_random_uuid(), $3, $3
		FROM generate_series(1, 30) e, generate_series(1, 150) a`, referrals, elm, noon)
	for _, limit := range []int{4, 200} {
		pages, seen := 0, map[uuid.UUID]bool{}
		for _, delivery := range all(t, func(before uuid.UUID) (applications.Page[applications.Delivery], error) {
			return applications.Deliveries{DB: d.Pool}.List(t.Context(), applications.DeliveryFilter{
				Bounds: applications.Bounds{Tenant: elm, Application: referrals, Before: before, Limit: limit}, From: noon,
			})
		}, func() { pages++ }) {
			if seen[delivery.JTI] {
				t.Errorf("%s is shown twice", delivery.JTI)
			}
			seen[delivery.JTI] = true
		}
		if len(seen) != 30 || pages < 3 {
			t.Errorf("%d deliveries on %d pages", len(seen), pages)
		}
	}
	page, err := applications.Deliveries{DB: d.Pool}.List(t.Context(), applications.DeliveryFilter{
		Bounds: applications.Bounds{Tenant: elm, Application: application.ID{UUID: uuid.Max}, Limit: 10}, From: noon.Add(2 * time.Hour),
	})
	if projectionstest.Must(t, err); page.Before != uuid.Nil {
		t.Error("it goes on to what happened before the time that is asked for")
	}
}
