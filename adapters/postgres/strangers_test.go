package postgres_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
)

// Until Postgres 15, every role could make functions in the schema public, and a dump keeps
// that right. Those of the owner would call them as the owner, so the baseline revokes it.
func TestStrangersMakeNoFunctions_D52(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	_, err := db.SuperuserPool(t).Exec(t.Context(), `DROP SCHEMA public CASCADE; CREATE SCHEMA public AUTHORIZATION frontdesk_owner; GRANT ALL ON SCHEMA public TO PUBLIC`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.Migrate(t.Context(), db.AdminURL); err != nil {
		t.Fatal(err)
	}
	_, err = db.Pool(t).Exec(t.Context(), `CREATE FUNCTION public.unnest(int8multirange) RETURNS SETOF int8range LANGUAGE sql AS 'SELECT NULL::int8range'`)
	if refused, ok := errors.AsType[*pgconn.PgError](err); !ok || refused.Code != "42501" {
		t.Errorf("the serving role makes a function: %v", err)
	}
}
