package postgres_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// What a process of the release before has written about staff: an administrator and a
// clinician who are signed in, the second with an authorisation, and somebody who has
// left.
const staffBefore = `
INSERT INTO practices (tenant, name, time_zone) VALUES ('elm', 'Elm', 'Europe/London');
INSERT INTO staff (tenant, staff, username, name, email, administrator, active, credential) VALUES
	('elm', '0190c7a2-0000-7000-8000-0000000000b1', 'dr.may', 'Dr May', 'may@elm.example', true, true, '0190c7a2-0000-7000-8000-0000000000c1'),
	('elm', '0190c7a2-0000-7000-8000-0000000000b2', 'dr.lee', 'Dr Lee', 'lee@elm.example', false, true, '0190c7a2-0000-7000-8000-0000000000c2'),
	('elm', '0190c7a2-0000-7000-8000-0000000000b3', 'kim', 'Kim', 'kim@elm.example', true, false, NULL);
INSERT INTO staff_sessions (token_hash, tenant, staff, credential, signed_in_at, seen_at) VALUES
	('\x01', 'elm', '0190c7a2-0000-7000-8000-0000000000b1', '0190c7a2-0000-7000-8000-0000000000c1', '2026-03-02T12:00:00Z', '2026-03-02T12:05:00Z'),
	('\x02', 'elm', '0190c7a2-0000-7000-8000-0000000000b2', '0190c7a2-0000-7000-8000-0000000000c2', '2026-03-02T12:00:00Z', '2026-03-02T12:05:00Z');
INSERT INTO applications (application, name, jwks_url) VALUES ('0190c7a2-0000-7000-8000-00000000000a', 'Referrals', 'https://app.example/jwks');
INSERT INTO enablements (tenant, application) VALUES ('elm', '0190c7a2-0000-7000-8000-00000000000a');
INSERT INTO authorisations (tenant, application, staff, patient, expires_at) VALUES
	('elm', '0190c7a2-0000-7000-8000-00000000000a', '0190c7a2-0000-7000-8000-0000000000b2', '00000000-0000-0000-0000-000000000000', '2026-03-02T20:00:00Z')`

// Nobody has to act at once: members, sessions and authorisations are as they were, and
// who was administrator is manager.
func TestAnUpgradeLeavesStaffAsTheyAre_D63(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	older(t, db)
	pool := db.Pool(t)
	if _, err := pool.Exec(t.Context(), staffBefore); err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.Migrate(t.Context(), db.AdminURL); err != nil {
		t.Fatal(err)
	}
	pool.Reset() // what it has planned belongs to the version before
	wantStaffBefore(t, pool)
}

func TestTheReleaseBeforeWritesBesideTheNewSchema_D63(t *testing.T) {
	t.Parallel()
	pool := postgrestest.New(t).Pool(t)
	if _, err := pool.Exec(t.Context(), staffBefore); err != nil {
		t.Fatal(err)
	}
	wantStaffBefore(t, pool)
}

func wantStaffBefore(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	people, err := projections.People{DB: pool}.Of(t.Context(), "elm")
	id := func(last string) staff.ID {
		return staff.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000" + last)}
	}
	want := []projections.Person{
		{Staff: id("b2"), Username: "dr.lee", Name: "Dr Lee", Email: "lee@elm.example", Roles: staff.Roles{}, Active: true, SignsIn: true},
		{Staff: id("b1"), Username: "dr.may", Name: "Dr May", Email: "may@elm.example", Roles: staff.Roles{staff.Manager}, Active: true, SignsIn: true},
		{Staff: id("b3"), Username: "kim", Name: "Kim", Email: "kim@elm.example", Roles: staff.Roles{staff.Manager}},
	}
	if diff := cmp.Diff(want, people); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	var sessions []string
	err = pool.QueryRow(t.Context(), `
		SELECT array_agg(s.username ORDER BY s.username) FROM staff_sessions n
		JOIN staff s ON s.tenant = n.tenant AND s.staff = n.staff AND s.active AND s.credential = n.credential
		WHERE n.confirmed_at IS NULL AND n.browser = ''`).Scan(&sessions)
	if err != nil || !slices.Equal(sessions, []string{"dr.lee", "dr.may"}) {
		t.Errorf("signed in are %v, %v", sessions, err)
	}
	claim := access.Claim{
		Tenant: "elm", Application: application.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-00000000000a")},
		Mode: application.UserRestricted, Username: "dr.lee", Endpoint: access.Endpoint{Name: "ping"},
	}
	rights, err := projections.Rights{DB: pool}.Rights(t.Context(), claim, time.Date(2026, 3, 2, 19, 0, 0, 0, time.UTC))
	if err != nil || rights.Staff != id("b2") || rights.AuthorisedUntil.IsZero() || !rights.Enabled {
		t.Errorf("the authorisation is %+v, %v", rights, err)
	}
}
