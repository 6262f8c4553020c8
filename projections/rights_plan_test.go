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

// Application and staff n of [manyPractices] are these identifiers.
const idsOf = `
CREATE FUNCTION app_id(n int) RETURNS uuid IMMUTABLE LANGUAGE sql AS $$ SELECT md5('app' || n)::uuid $$;
CREATE FUNCTION staff_id(tenant text, n int) RETURNS uuid IMMUTABLE LANGUAGE sql AS $$ SELECT md5(tenant || n)::uuid $$;`

// manyPractices is 1,000 practices with 20 staff each, and 200 applications
// that all may call everything everywhere; each member of staff has authorised
// three of them, one of these for two patients as well.
const manyPractices = idsOf + `
INSERT INTO practices SELECT 'practice-' || p, 'Practice ' || p, 'Europe/London' FROM generate_series(1, 1000) p;
INSERT INTO applications SELECT app_id(a), 'Application ' || a, 'https://app.example/' || a FROM generate_series(1, 200) a;
INSERT INTO endpoint_grants SELECT app_id(a), e, m FROM generate_series(1, 200) a,
	unnest(ARRAY['create-patient-request', 'create-note', 'retrieve-care-record']) e, unnest(ARRAY['application-restricted', 'user-restricted']) m;
INSERT INTO enablements SELECT 'practice-' || p, app_id(a) FROM generate_series(1, 1000) p, generate_series(1, 200) a;
INSERT INTO staff (tenant, staff, username, name, email, administrator)
	SELECT 'practice-' || p, staff_id('practice-' || p, s), 'user-' || s, 'User ' || s, 'user@practice.example', false
	FROM generate_series(1, 1000) p, generate_series(1, 20) s;
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

// busyClaim is one of the claims with all that there can be to find.
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

// With any statistics the query walks indexes: no table is read from end to end, and
// nothing is hashed or sorted.
func TestRightsAreReadByIndex(t *testing.T) {
	t.Parallel()
	admin, _ := populous(t)
	conn, err := admin.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	c := busyClaim(t, admin)
	prepare := `PREPARE rights (text, uuid, text, text, text, timestamptz) AS ` + projections.RightsOf
	execute := `EXPLAIN EXECUTE rights ('` + strings.Join([]string{
		c.Tenant, c.Application.String(), c.Username, string(c.Endpoint.Name), string(c.Mode), "2026-03-02",
	}, "', '") + `')`
	for _, statement := range []string{prepare, `SET plan_cache_mode = force_generic_plan`} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	wantIndexesOnly(t, "before statistics", explained(t.Context(), t, conn, execute))
	if _, err := conn.Exec(t.Context(), `ANALYZE; SET plan_cache_mode = force_custom_plan`); err != nil {
		t.Fatal(err)
	}
	wantIndexesOnly(t, "for these values", explained(t.Context(), t, conn, execute))
	if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = force_generic_plan`); err != nil {
		t.Fatal(err)
	}
	wantIndexesOnly(t, "for any values", explained(t.Context(), t, conn, execute))
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

func wantIndexesOnly(t *testing.T, when, plan string) {
	t.Helper()
	for _, table := range []string{"applications", "enablements", "endpoint_grants", "staff", "authorisations"} {
		if !strings.Contains(plan, "on "+table+" ") {
			t.Errorf("%s, %s is not read:\n%s", when, table, plan)
		}
	}
	for _, costly := range []string{"Seq Scan", "Hash", "Sort", "Bitmap"} {
		if strings.Contains(plan, costly) {
			t.Errorf("%s, the plan has a %s:\n%s", when, costly, plan)
		}
	}
}
