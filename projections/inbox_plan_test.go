package projections_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections"
	"frontdesk/projections/projectionstest"
)

// manyRequests is a practice with some 20,000 requests, of which a tenth are open, all
// of one type, and a practice with few. The plans are the same with 200,000.
const manyRequests = `
INSERT INTO inbox (tenant, request, patient, type, urgent, by_proxy, files, submitted_at, idx, holder, done_at)
SELECT CASE WHEN n % 100 = 1 THEN 'oak-lane' ELSE 'elm-street' END, md5(n::text)::uuid, md5('patient' || n % 3000)::uuid,
	CASE WHEN n % 10 = 0 OR n % 3 = 0 THEN 'medical' ELSE 'admin' END, n % 50 = 0, false, 0, timestamptz '2026-01-01' + n * interval '1 minute', n,
	CASE WHEN n % 20 <> 0 THEN md5('staff' || n % 30)::uuid END,
	CASE WHEN n % 10 <> 0 THEN timestamptz '2026-01-02' + n * interval '1 minute' END
FROM generate_series(1, 20000) n;
ANALYZE inbox;`

// However many requests a practice has, a page reads only a few rows for each that it
// shows, wherever it begins.
func TestRequestListReadsOnlyItsRows_D83(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	if _, err := db.AdminPool(t).Exec(t.Context(), manyRequests); err != nil {
		t.Fatal(err)
	}
	asked := &projectionstest.Explainer{Querier: db.Pool(t), T: t}
	inbox := projections.Inbox{DB: asked}
	member := memberOf(t, db.Pool(t))
	for _, tab := range projections.InboxTabs() {
		for _, typ := range append(request.Types(), "") {
			for _, urgent := range []bool{false, true} {
				f := projections.InboxFilter{Tab: tab, Member: member, Type: typ, Urgent: urgent, Today: today}
				for page := range 3 {
					rows, next, err := inbox.Page(t.Context(), elm, f, 50)
					if err != nil || asked.Most > 4*51 {
						t.Errorf("%+v, page %d: %d rows for %d, %v", f, page, asked.Most, len(rows), err)
					}
					if len(rows) > 0 {
						f.After = rows[len(rows)/2].Place()
						if _, _, err := inbox.Neighbours(t.Context(), elm, f); err != nil || asked.Most > 4*51 {
							t.Errorf("%+v: %d rows for the neighbours, %v", f, asked.Most, err)
						}
					}
					if f.After = next; next == (projections.InboxPlace{}) {
						break
					}
				}
			}
		}
	}
	for _, f := range []projections.InboxFilter{{}, {Type: request.Admin, Urgent: true}} {
		for idx := int64(0); ; {
			rows, next, err := inbox.Since(t.Context(), elm, f, idx, 50)
			if err != nil || asked.Most > 4*51 {
				t.Errorf("since %d: %d rows for %d, %v", idx, asked.Most, len(rows), err)
			}
			if idx = next; next == 0 {
				break
			}
		}
		if _, err := inbox.Newest(t.Context(), elm); err != nil || asked.Most > 4*51 {
			t.Errorf("the newest one took %d rows, %v", asked.Most, err)
		}
	}
	if _, err := inbox.Counts(t.Context(), elm, member, today); err != nil || asked.Most > 1000 {
		t.Errorf("%d rows were counted, %v", asked.Most, err)
	}
	if _, _, err := inbox.OfPatient(t.Context(), elm, patientOf(t, db.Pool(t)), projections.InboxPlace{}, 5); err != nil || asked.Most > 6 {
		t.Errorf("%d rows for a patient, %v", asked.Most, err)
	}
}

// manyPatients are patients of both practices, with the events that name them.
const manyPatients = `
INSERT INTO patients (tenant, patient) SELECT CASE WHEN n % 100 = 1 THEN 'oak-lane' ELSE 'elm-street' END, md5('patient' || n)::uuid FROM generate_series(1, 3000) n;
INSERT INTO events (id, tenant, stream, version, name, data, metadata, recorded_at)
SELECT gen_random_uuid(), tenant, patient, 1, 'patient.registered.v1', '{}', '{}', now() FROM patients;
ANALYZE;`

// Planning for each page would take as long as the page itself.
func TestListsKeepTheirPlan_D131(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"empty": "", "with statistics": manyRequests + manyPatients} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := postgrestest.New(t)
			if _, err := db.AdminPool(t).Exec(t.Context(), content); err != nil {
				t.Fatal(err)
			}
			pool, err := postgres.NewPool(t.Context(), db.URL, 1)
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			for n := range 20 {
				listAll(t, pool, []string{elm, oak}[n%2])
			}
			planned := postgrestest.Planned(t, pool)
			if len(planned) < 6 {
				t.Errorf("%d statements were prepared", len(planned))
			}
			for statement, times := range planned {
				if times > 5 {
					t.Errorf("planned for its arguments %d times:\n%s", times, statement)
				}
			}
		})
	}
}

func listAll(t *testing.T, db *pgxpool.Pool, tenant string) {
	t.Helper()
	for _, tab := range projections.InboxTabs() {
		if _, _, err := (projections.Inbox{DB: db}).Page(t.Context(), tenant, projections.InboxFilter{Tab: tab, Today: today}, 50); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := (projections.Inbox{DB: db}).OfPatient(t.Context(), tenant, ann, projections.InboxPlace{}, 5); err != nil {
		t.Fatal(err)
	}
	sql, args := projections.AskNames(tenant, ann, bill)
	rows, _ := db.Query(t.Context(), sql, args...)
	if _, err := projections.ScanStored(rows, tenant); err != nil {
		t.Fatal(err)
	}
}

func memberOf(t *testing.T, db *pgxpool.Pool) (id staff.ID) {
	t.Helper()
	id.UUID = anyOf(t, db, `SELECT holder FROM inbox WHERE tenant = 'elm-street' AND done_at IS NULL AND holder IS NOT NULL LIMIT 1`)
	return id
}

func patientOf(t *testing.T, db *pgxpool.Pool) (id patient.ID) {
	t.Helper()
	id.UUID = anyOf(t, db, `SELECT patient FROM inbox WHERE tenant = 'elm-street' LIMIT 1`)
	return id
}

func anyOf(t *testing.T, db *pgxpool.Pool, sql string) (id uuid.UUID) {
	t.Helper()
	if err := db.QueryRow(t.Context(), sql).Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}
