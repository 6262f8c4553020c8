package postgres_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/fault"
)

// Each code is raised in every way of asking, as Postgres itself would.
func TestEveryStateThatPassesIsUnavailable_D48(t *testing.T) {
	t.Parallel()
	pool := postgrestest.New(t).Pool(t)
	for code, state := range map[string]string{
		"08006": "the connection fails",
		"25006": "read-only",
		"25P03": "idle for too long",
		"40003": "completion unknown",
		"53000": "too few resources",
		"53100": "disk full",
		"53200": "out of memory",
		"53300": "too many connections",
		"53400": "a configured limit",
		"55P03": "a lock that was not free",
		"57014": "cancelled",
		"57P01": "shutting down",
		"57P02": "crashed",
		"57P03": "starting",
		"58030": "the disk fails",
	} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			raise := fmt.Sprintf(`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '%s'; END $$`, code)
			for way, err := range asked(t.Context(), postgres.On(pool), raise) {
				refusal, _ := errors.AsType[*fault.Error](err)
				if refusal == nil || refusal.Error() != postgres.ErrUnavailable.Error() {
					t.Errorf("%s: callers get %v", way, refusal)
				}
				if text := err.Error(); strings.Contains(text, refusal.Detail) || !strings.Contains(text, code) {
					t.Errorf("%s: the operator gets %s", way, text)
				}
			}
		})
	}
}

// These last until an operator fixes them, so callers are not asked to retry.
func TestAStateThatStaysIsNotUnavailable_D48(t *testing.T) {
	t.Parallel()
	pool := postgrestest.New(t).Pool(t)
	for _, code := range []string{"42501", "42P01", "54000", "58P01", "XX000", "XX001"} {
		raise := fmt.Sprintf(`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '%s'; END $$`, code)
		for way, err := range asked(t.Context(), postgres.On(pool), raise) {
			if _, isFault := errors.AsType[*fault.Error](err); isFault || err == nil {
				t.Errorf("%s, %s: %v", code, way, err)
			}
		}
	}
}

// The operator is changing the password, or the database has just been re-created.
func TestRefusedConnectionIsUnavailable_D48(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	if _, err := db.AdminPool(t).Exec(t.Context(), `REVOKE CONNECT ON DATABASE `+databaseOf(t, db)+` FROM PUBLIC`); err != nil {
		t.Fatal(err)
	}
	for way, err := range asked(t.Context(), postgres.On(db.Pool(t)), `SELECT 1`) {
		if !errors.Is(err, postgres.ErrUnavailable) {
			t.Errorf("%s: %v", way, err)
		}
	}
}

func databaseOf(t *testing.T, db *postgrestest.Database) (name string) {
	t.Helper()
	if err := db.AdminPool(t).QueryRow(t.Context(), `SELECT current_database()::text`).Scan(&name); err != nil {
		t.Fatal(err)
	}
	return name
}
