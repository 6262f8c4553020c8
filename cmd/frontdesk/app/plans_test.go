package app_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres/postgrestest"
)

// aMillion is a database of a million events, and as much of the rest as goes with it.
var aMillion = postgrestest.Grown{
	Practices: 1000, Staff: 10_000, Patients: 100_000, Events: 1_000_000, Entries: 100_000, Calls: 100_000, Deliveries: 100_000, Uploads: 20_000,
}

// fewStatements is fewer than the program has. Lower it only for a known reason.
const fewStatements = 100

// The statements for calls, pages, metrics, background work and auditors stay quick however
// large the database grows: none reads a growing table from end to end. The statements are
// those that the program sends.
func TestNoStatementReadsAWholeTable(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long; make test runs it")
	}
	t.Parallel()
	db := postgrestest.New(t)
	begun := clock.Start()
	postgrestest.Grow(t, db.SuperuserURL, aMillion)
	t.Logf("grown within %s", begun.Elapsed().Round(time.Second))
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
	judge := func(statistics bool) {
		for _, key := range slices.Sorted(maps.Keys(sent.seen)) {
			s := sent.seen[key]
			want := func(when string, p plan, there bool) {
				read := known.wholly(p, false)
				if !s.afresh {
					read = append(read, known.practices(p, "")...)
				}
				if there && len(read) > 0 && (statistics || !known.mayLook(s)) {
					t.Errorf("statistics: %t; %s, a statement reads whole tables or all of a practice: %q\n%s\n%v", statistics, when, read, s.sql, s.args)
				}
			}
			byValues, there := grown.forValues(t, s)
			want("for its parameters", byValues, there)
			if there && !s.afresh {
				forAny, _ := grown.forAny(t, s)
				want("for any parameters", forAny, there)
			}
		}
	}
	judge(true)
	remember := grown.forget(t)
	judge(false)
	remember()
	for _, key := range slices.Sorted(maps.Keys(sent.seen)) {
		s := sent.seen[key]
		if s.afresh {
			continue
		}
		// A connection keeps the plan that it made while tables were empty, at the longest
		// until autovacuum has analysed them. Until then a plan may scan a range, but not for
		// a key.
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

// withoutStatistics are the statements that no call, page or feed waits for, and that may
// look through more than they need until there are statistics, with the reason.
var withoutStatistics = map[string]string{
	`SELECT l.idx, coalesce(e.id`:                            "auditors and the relay read pages of the log; Postgres plans a page for its length",
	`SELECT d.event, d.idx, d.kind, d.tenant`:                "auditors look for the deliveries of a thousand events at once",
	`UPDATE deliveries SET status = 'withdrawn', reason = '`: "an erasure waits for all appends of the practice in any case",
}

// mayLook reports whether a statement may scan more than it needs while there are no
// statistics. Auditors' queries may, because each is planned for its parameters, and so may
// queries of tables that do not grow with the log.
func (in tables) mayLook(s statement) bool {
	for begin := range withoutStatistics {
		if strings.HasPrefix(strings.TrimSpace(s.sql), begin) {
			return true
		}
	}
	return s.afresh || !slices.ContainsFunc(in.large, func(table string) bool {
		return slices.Contains(ofTheLog, strings.TrimSuffix(table, "_default")) && strings.Contains(s.sql, strings.TrimSuffix(table, "_default"))
	})
}

// ofTheLog are the tables that grow with the log, as those of staff and sessions do not.
var ofTheLog = []string{
	"events", "log", "access_record", "access_log", "deliveries", "delivered", "delivery_log", "timeline", "record_entries", "appointments",
	"patients", "inbox", "attachments", "answers", "uploads", "upload_chunks", "authorisations", "tree_tiles",
}

// byKey finds a condition that compares with a parameter for equality.
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
			(SELECT array_agg(indexrelid::regclass::text) FROM pg_index WHERE indpred IS NOT NULL),
			(SELECT json_object_agg(indexrelid::regclass::text, indrelid::regclass::text) FROM pg_index)`).Scan(&found.large, &found.partial, &found.indexes)
	must(t, err)
	if len(found.large) < 20 {
		t.Fatalf("only %v have grown", found.large)
	}
	return found
}

// scans returns how many halves of each large table were read row by row, including by
// statements of functions. A session reports its counts before it ends.
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
