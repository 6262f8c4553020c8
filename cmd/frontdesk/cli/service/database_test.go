package service_test

import (
	"net/url"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

// raising is a statement that makes every append raise an error, as Postgres would.
func raising(code string) string {
	return `CREATE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = '` + code + `'; END $$;
		CREATE TRIGGER trouble BEFORE INSERT ON events EXECUTE FUNCTION trouble()`
}

// readOnly is the message about a database that takes no changes.
const readOnly = "the database is read-only: it is a standby, or default_transaction_read_only is on; connect to the primary"

func TestCommandsNameTheDatabasesState(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		statement string                     // as a superuser, beforehand; %s is the database
		edit      func(*url.URL, url.Values) // of the URL
		says      string
	}{
		"read-only":          {statement: `ALTER ROLE frontdesk_app IN DATABASE %s SET default_transaction_read_only = on`, says: readOnly},
		"no server to write": {statement: `ALTER ROLE frontdesk_app IN DATABASE %s SET default_transaction_read_only = on`, edit: func(_ *url.URL, q url.Values) { q.Set("target_session_attrs", "read-write") }, says: readOnly},
		"out of connections": {statement: `ALTER DATABASE %s CONNECTION LIMIT 0`, says: "the database is out of connections"},
		"disk full":          {statement: raising("disk_full"), says: "the database's disk is full"},
		"out of memory":      {statement: raising("out_of_memory"), says: "the database is out of memory"},
		"out of something":   {statement: raising("configuration_limit_exceeded"), says: "the database is out of a resource"},
		"disk broken":        {statement: raising("io_error"), says: "the database cannot read or write its disk"},
		"locked":             {statement: raising("lock_not_available"), says: "a lock was not free in time"},
		"cancelled":          {statement: raising("query_canceled"), says: "the statement was cancelled"},
		"shutting down":      {statement: raising("admin_shutdown"), says: "the database is shutting down, or an operator has ended the session"},
		"crashed":            {statement: raising("crash_shutdown"), says: "the database has crashed and recovers"},
		"starting":           {statement: raising("cannot_connect_now"), says: "the database is starting or shutting down"},
		"connection failed":  {statement: raising("connection_failure"), says: "the connection to the database was lost"},
		"session ended": {
			statement: `CREATE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
				CREATE TRIGGER trouble BEFORE INSERT ON events EXECUTE FUNCTION trouble()`,
			says: "the database is shutting down, or an operator has ended the session",
		},
		"not there":        {edit: func(_ *url.URL, q url.Values) { q.Set("host", t.TempDir()) }, says: "the database cannot be reached"},
		"no such role":     {edit: func(u *url.URL, _ url.Values) { u.User = url.User("stranger") }, says: "the database refuses the role or its password"},
		"no such database": {edit: func(u *url.URL, _ url.Values) { u.Path = "/nowhere" }, says: "the database of that name does not exist"},
		"may not connect":  {statement: `REVOKE CONNECT ON DATABASE %s FROM PUBLIC, frontdesk_app`, says: "the role may not connect to the database"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := postgrestest.New(t)
			if c.statement != "" {
				prepare(t, db, c.statement)
			}
			at, err := url.Parse(db.URL)
			clitest.Must(t, err)
			if c.edit != nil {
				query := at.Query()
				c.edit(at, query)
				at.RawQuery = query.Encode()
			}
			got := clitest.Frontdesk(t, "practice", "register", "--tenant", "elm-street", "--name", "Elm Street", "--database-url", at.String())
			got.WantFailure(t, 1, "frontdesk: ", c.says)
			if strings.Contains(got.Err, "The service cannot reach its database") || strings.Contains(got.Err, "unavailable") {
				t.Errorf("an operator is told what callers of the API are: %s", got.Err)
			}
		})
	}
}

// A migration has connections of its own.
func TestMigrateNamesTheDatabasesState(t *testing.T) {
	t.Parallel()
	for statement, says := range map[string]string{
		`ALTER DATABASE %s SET default_transaction_read_only = on`: readOnly,
		`ALTER DATABASE %s CONNECTION LIMIT 0`:                     "the database is out of connections",
	} {
		db := postgrestest.New(t)
		prepare(t, db, statement)
		for _, args := range [][]string{{"migrate"}, {"migrate", "--change-owner", "frontdesk_owner"}} {
			clitest.Frontdesk(t, append(args, "--database-url", db.AdminURL)...).WantFailure(t, 1, "frontdesk: "+says)
		}
	}
}

// prepare runs a statement as a superuser; %s is the database.
func prepare(t *testing.T, db *postgrestest.Database, statement string) {
	t.Helper()
	var database string
	clitest.Must(t, db.SuperuserPool(t).QueryRow(t.Context(), `SELECT quote_ident(current_database())`).Scan(&database))
	_, err := db.SuperuserPool(t).Exec(t.Context(), strings.ReplaceAll(statement, "%s", database))
	clitest.Must(t, err)
}
