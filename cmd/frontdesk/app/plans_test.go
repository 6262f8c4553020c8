package app_test

import (
	"maps"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres/postgrestest"
)

// aMillion is a database of a million events, and as much of the rest as goes with it.
var aMillion = postgrestest.Grown{
	Practices: 1000, Staff: 10_000, Patients: 100_000, Events: 1_000_000, Entries: 100_000, Calls: 100_000, Deliveries: 100_000, Uploads: 20_000,
}

// fewStatements is less than the program has. Whoever lowers it should know why.
const fewStatements = 100

// What the program asks for calls, pages, metrics and in the background, and what auditors
// ask, stays quick however large the database grows: no statement reads a table that
// grows from end to end. The statements are those that the program sends.
func TestNoStatementReadsAWholeTable(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long; make test runs it")
	}
	t.Parallel()
	db := postgrestest.New(t)
	begun := time.Now()
	postgrestest.Grow(t, db.SuperuserURL, aMillion)
	t.Logf("grown within %s", time.Since(begun).Round(time.Second))
	grown := plannerOf(t, db.SuperuserURL)
	before := grown.scans(t)
	sent := live(t, db)
	for table, n := range grown.scans(t) {
		if n > before[table] {
			t.Errorf("table %s was read from end to end", table)
		}
	}
	empty := plannerOf(t, postgrestest.New(t).SuperuserURL)
	known := tablesOf(t, grown)
	for _, key := range slices.Sorted(maps.Keys(sent.seen)) {
		s := sent.seen[key]
		want := func(when string, p plan, there bool) {
			if read := known.wholly(p, false); there && len(read) > 0 {
				t.Errorf("%s, a statement reads whole tables: %q\n%s\n%v", when, read, s.sql, s.args)
			}
		}
		byValues, there := grown.forValues(t, s)
		want("for its parameters", byValues, there)
		if s.afresh || !there {
			continue
		}
		forAny, _ := grown.forAny(t, s)
		want("for any parameters", forAny, there)
		// A connection keeps the plan that it made while there was nothing, at the longest
		// until autovacuum has looked. So long it may look through a range, but for no key.
		early, _ := empty.forAny(t, s)
		if read := known.wholly(early, false); slices.ContainsFunc(read, byKey.MatchString) {
			t.Errorf("planned on empty tables, a statement reads whole tables: %q\n%s", read, s.sql)
		}
	}
	if n := len(sent.seen); n < fewStatements {
		t.Errorf("the program has sent %d statements, want at least %d", n, fewStatements)
	}
	t.Logf("%d statements", len(sent.seen))
}

// byKey finds a condition that asks for what is equal to a parameter.
var byKey = regexp.MustCompile(` = \$\d`)

func plannerOf(t *testing.T, url string) *planner {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return &planner{conn: conn}
}

func tablesOf(t *testing.T, p *planner) (found tables) {
	t.Helper()
	err := p.conn.QueryRow(t.Context(), `
		SELECT (SELECT array_agg(relname::text) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND reltuples >= 5000),
			(SELECT array_agg(indexrelid::regclass::text) FROM pg_index WHERE indpred IS NOT NULL)`).Scan(&found.large, &found.partial)
	must(t, err)
	if len(found.large) < 20 {
		t.Fatalf("only %v have grown", found.large)
	}
	return found
}

// scans says how many halves of each large table were read row by row, also by statements
// of functions. A session adds what it has done before it ends.
func (p *planner) scans(t *testing.T) map[string]int64 {
	t.Helper()
	for others := 1; others > 0; time.Sleep(10 * time.Millisecond) {
		must(t, p.conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`).Scan(&others))
	}
	rows, _ := p.conn.Query(t.Context(), `
		SELECT c.relname::text, (2 * seq_tup_read / reltuples)::bigint FROM pg_stat_user_tables JOIN pg_class c ON c.oid = relid WHERE schemaname = 'public' AND reltuples >= 5000`)
	counts := map[string]int64{}
	var table string
	var n int64
	_, err := pgx.ForEachRow(rows, []any{&table, &n}, func() error { counts[table] = n; return nil })
	must(t, err)
	return counts
}
