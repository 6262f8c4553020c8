package postgrestest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// odd is settings that an operator may have made for a database, and that nothing may
// depend on.
const odd = `
CREATE SCHEMA elsewhere;
ALTER DATABASE %[1]s SET default_transaction_isolation = '%[2]s';
ALTER DATABASE %[1]s SET default_transaction_deferrable = on;
ALTER DATABASE %[1]s SET synchronous_commit = off;
ALTER DATABASE %[1]s SET search_path = elsewhere, public;
ALTER DATABASE %[1]s SET enable_indexscan = off;
ALTER DATABASE %[1]s SET enable_indexonlyscan = off;
ALTER DATABASE %[1]s SET enable_nestloop = off;
ALTER DATABASE %[1]s SET enable_sort = off;
ALTER DATABASE %[1]s SET plan_cache_mode = force_custom_plan;
ALTER DATABASE %[1]s SET "TimeZone" = 'Pacific/Chatham';
ALTER DATABASE %[1]s SET "DateStyle" = 'SQL, DMY';
ALTER DATABASE %[1]s SET "IntervalStyle" = 'sql_standard';
ALTER DATABASE %[1]s SET bytea_output = 'escape';
ALTER DATABASE %[1]s SET extra_float_digits = 0;
ALTER DATABASE %[1]s SET standard_conforming_strings = off;
ALTER DATABASE %[1]s SET backslash_quote = off;
ALTER DATABASE %[1]s SET row_security = off;
ALTER DATABASE %[1]s SET quote_all_identifiers = on`

// Odd gives new connections to the database unusual defaults, such as an isolation
// level that is stricter than READ COMMITTED.
func (d *Database) Odd(tb testing.TB, isolation string) {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), d.SuperuserURL)
	if err != nil {
		tb.Fatal(err)
	}
	defer conn.Close(tb.Context())
	for statement := range strings.SplitSeq(fmt.Sprintf(odd, pgx.Identifier{conn.Config().Database}.Sanitize(), isolation), ";") {
		if _, err := conn.Exec(tb.Context(), statement); err != nil {
			tb.Fatalf("%s: %v", statement, err)
		}
	}
}
