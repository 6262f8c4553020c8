package projections_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/projections"
)

// These are the identifiers of application and staff n of [manyPractices].
const idsOf = `
CREATE FUNCTION app_id(n int) RETURNS uuid IMMUTABLE LANGUAGE sql AS $$ SELECT md5('app' || n)::uuid $$;
CREATE FUNCTION staff_id(tenant text, n int) RETURNS uuid IMMUTABLE LANGUAGE sql AS $$ SELECT md5(tenant || n)::uuid $$;`

// manyPractices is 1,000 practices with 20 staff and 20 patients each, and hours and
// closures of their own. There are 200 applications, which all may call everything
// everywhere; each member of staff has authorised three of them, one of these for two
// patients as well.
const manyPractices = idsOf + `
INSERT INTO practices SELECT 'practice-' || p, 'Practice ' || p, 'Europe/London' FROM generate_series(1, 1000) p;
INSERT INTO applications SELECT app_id(a), 'Application ' || a, 'https://app.example/' || a FROM generate_series(1, 200) a;
INSERT INTO endpoint_grants SELECT app_id(a), e, m FROM generate_series(1, 200) a,
	unnest(ARRAY['create-patient-request', 'create-note', 'retrieve-care-record']) e, unnest(ARRAY['application-restricted', 'user-restricted']) m;
INSERT INTO enablements SELECT 'practice-' || p, app_id(a) FROM generate_series(1, 1000) p, generate_series(1, 200) a;
INSERT INTO staff (tenant, staff, username, name, email, administrator)
	SELECT 'practice-' || p, staff_id('practice-' || p, s), 'user-' || s, 'User ' || s, 'user@practice.example', false
	FROM generate_series(1, 1000) p, generate_series(1, 20) s;
INSERT INTO patients (tenant, patient)
	SELECT 'practice-' || p, md5('patient' || p || '/' || n)::uuid FROM generate_series(1, 1000) p, generate_series(1, 20) n;
INSERT INTO intakes (tenant, request_type, hours)
	SELECT 'practice-' || p, x, '{mon 08:00-12:30}' FROM generate_series(1, 1000) p, unnest(ARRAY['medical', 'admin']) x;
INSERT INTO closures SELECT 'practice-' || p, '{[2026-12-24, 2026-12-27)}' FROM generate_series(1, 1000) p;
INSERT INTO authorisations SELECT tenant, app_id(a), staff, x, timestamptz '2026-03-03'
	FROM staff, generate_series(1, 3) a, unnest(CASE WHEN a = 1 THEN ARRAY[uuid_nil(), md5('ann')::uuid, md5('bill')::uuid] ELSE ARRAY[uuid_nil()] END) x;
`

// populous is a database with [manyPractices].
func populous(tb testing.TB) (admin *pgxpool.Pool, db *postgrestest.Database) {
	tb.Helper()
	db = postgrestest.New(tb)
	admin = db.AdminPool(tb)
	fill := strings.ReplaceAll(manyPractices, "uuid_nil()", "'"+uuid.Nil.String()+"'::uuid")
	if _, err := admin.Exec(tb.Context(), fill); err != nil {
		tb.Fatal(err)
	}
	return admin, db
}

// busyClaim is a claim with the most rows to find.
func busyClaim(tb testing.TB, admin *pgxpool.Pool) access.Claim {
	tb.Helper()
	claim := access.Claim{
		Tenant: "practice-500", Username: "user-7", Endpoint: access.Endpoint{Name: access.CreateNote}, Mode: application.UserRestricted,
	}
	if err := admin.QueryRow(tb.Context(), `SELECT app_id(1)`).Scan(&claim.Application); err != nil {
		tb.Fatal(err)
	}
	return claim
}

// callQuery is a query of every call, with its arguments.
type callQuery struct {
	sql, types string
	values     []string
	reads      []string // the tables
}

// callQueries are the queries of a call before it appends.
func callQueries(c access.Claim) map[string]callQuery {
	asked := []string{c.Tenant, c.Application.String(), string(c.Endpoint.Name), string(c.Mode)}
	return map[string]callQuery{
		"rights_of_application": {projections.RightsOfApplication, "text, uuid, text, text", asked, []string{"applications", "enablements", "endpoint_grants"}},
		"rights_of_user": {
			projections.RightsOfUser, "text, uuid, text, text, text, timestamptz", append(asked, c.Username, "2026-03-02"),
			[]string{"applications", "enablements", "endpoint_grants", "staff", "authorisations"},
		},
		"receptions_too": {
			projections.ReceptionsApplication, "text, uuid, text, text", asked,
			[]string{"applications", "enablements", "endpoint_grants", "practices", "intakes", "closures"},
		},
		"receptions_too_of_user": {
			projections.ReceptionsUser, "text, uuid, text, text, text, timestamptz", append(asked, c.Username, "2026-03-02"),
			[]string{"applications", "enablements", "endpoint_grants", "staff", "authorisations", "practices", "intakes", "closures"},
		},
	}
}

// With any statistics, and also if it was planned while all tables were empty, the
// query walks indexes: it scans no whole table, and hashes or sorts nothing.
func TestCallQueriesReadByIndex(t *testing.T) {
	t.Parallel()
	empty := postgrestest.New(t).AdminPool(t)
	full, _ := populous(t)
	c := busyClaim(t, full)
	for name, q := range callQueries(c) {
		q.explain(t, empty, name, "of empty tables", "force_generic_plan")
		q.explain(t, full, name, "before statistics", "force_generic_plan")
	}
	if _, err := full.Exec(t.Context(), `ANALYZE`); err != nil {
		t.Fatal(err)
	}
	for name, q := range callQueries(c) {
		q.explain(t, full, name, "for these values", "force_custom_plan")
		q.explain(t, full, name, "for any values", "force_generic_plan")
	}
}

// explain fails unless the plan walks indexes.
func (q callQuery) explain(t *testing.T, pool *pgxpool.Pool, name, when, mode string) {
	t.Helper()
	conn, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	for _, statement := range []string{
		`SET plan_cache_mode = ` + mode,
		`DEALLOCATE ALL`,
		`PREPARE asked (` + q.types + `) AS ` + q.sql,
	} {
		if _, err := conn.Exec(t.Context(), statement, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatal(err)
		}
	}
	plan := explained(t.Context(), t, conn, `EXPLAIN EXECUTE asked ('`+strings.Join(q.values, "', '")+`')`)
	q.wantIndexesOnly(t, name+" "+when, plan)
}

func explained(ctx context.Context, t *testing.T, db projections.Querier, statement string) string {
	t.Helper()
	rows, _ := db.Query(ctx, statement, pgx.QueryExecModeSimpleProtocol)
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(plan, "\n")
}

// fewIntakes removes the lookup of a practice's intakes by their key. They are two at
// most.
var fewIntakes = strings.NewReplacer("Bitmap Heap Scan on intakes", "", "Bitmap Index Scan on intakes_pkey", "")

func (q callQuery) wantIndexesOnly(t *testing.T, when, plan string) {
	t.Helper()
	for _, table := range q.reads {
		if !strings.Contains(plan, "on "+table+" ") {
			t.Errorf("%s, %s is not read:\n%s", when, table, plan)
		}
	}
	plan = fewIntakes.Replace(plan)
	for _, costly := range []string{"Seq Scan", "Hash", "Sort", "Bitmap"} {
		if strings.Contains(plan, costly) {
			t.Errorf("%s, the plan has a %s:\n%s", when, costly, plan)
		}
	}
}
