package postgres_test

import (
	"strings"
	"testing"

	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
)

// The program's sessions do not take their settings from the role or the database.
func TestSessionSettings(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	db.Odd(t, "serializable")
	enginetest.MustExec(t, db.SuperuserPool(t), `ALTER ROLE frontdesk_app IN DATABASE "`+nameOf(t, db)+`" SET search_path = elsewhere;
		ALTER ROLE frontdesk_app IN DATABASE "`+nameOf(t, db)+`" SET row_security = on`)
	pool := db.Pool(t)
	for setting, want := range map[string]string{
		"search_path": "public, pg_temp", "row_security": "off", "default_transaction_isolation": "read committed", "synchronous_commit": "on",
		"jit": "off", "application_name": "frontdesk",
	} {
		var got string
		if err := pool.QueryRow(t.Context(), `SELECT current_setting($1)`, setting).Scan(&got); err != nil || strings.ReplaceAll(got, `"`, "") != want {
			t.Errorf("%s is %q, want %q, %v", setting, got, want, err)
		}
	}
}
