package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/projections"
)

// Blocker is a session that holds a lock which another one waits for. A role that may
// not read all statistics sees only the PID, the application and the user of others.
type Blocker struct {
	PID         int    // 0 if a prepared transaction holds the lock
	Application string // application_name
	User        string // "" for a process of Postgres itself, such as an autovacuum
	Address     string // "" if it is connected over a socket of the database's machine
	State       string // such as "idle in transaction"
	Since       time.Time
	Statement   string // the first word of its last statement, without any value
}

// String describes the session and its last statement.
func (b Blocker) String() string {
	if b.PID == 0 {
		return "a prepared transaction, which pg_prepared_xacts lists"
	}
	who := []string{b.Application}
	switch {
	case b.User != "":
		who = append(who, "user "+b.User)
	case b.Statement == "":
		who = append(who, "a process of Postgres, such as an autovacuum")
	}
	if b.Address != "" {
		who = append(who, "from "+b.Address)
	}
	if b.Statement != "" {
		who = append(who, b.State, "last statement "+b.Statement)
	}
	if !b.Since.IsZero() {
		who = append(who, "since "+b.Since.UTC().Format(time.RFC3339))
	}
	return fmt.Sprintf("pid %d (%s)", b.PID, strings.Join(nonempty(who), ", "))
}

func nonempty(texts []string) (kept []string) {
	for _, text := range texts {
		if text != "" {
			kept = append(kept, text)
		}
	}
	return kept
}

// ofPostgres reports whether it is a process of Postgres itself.
func (b Blocker) ofPostgres() bool { return b.PID != 0 && b.User == "" }

// sessions describes the sessions whose pids a subquery yields. Of a statement it reads
// only the first word: the rest may be about a patient.
const sessions = `
SELECT DISTINCT pid, coalesce(application_name, ''), coalesce(usename, ''), coalesce(host(client_addr), ''), coalesce(state, ''),
	coalesce(xact_start, backend_start), coalesce(substring(query FROM '^[[:space:]]*([A-Za-z]+)'), '')
FROM (%s) which (pid) LEFT JOIN pg_stat_activity USING (pid)
ORDER BY pid`

func describe(ctx context.Context, db projections.Querier, which string, args ...any) ([]Blocker, error) {
	rows, _ := db.Query(ctx, fmt.Sprintf(sessions, which), args...)
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (b Blocker, err error) {
		var since *time.Time
		err = row.Scan(&b.PID, &b.Application, &b.User, &b.Address, &b.State, &since, &b.Statement)
		b.Since = *cmp.Or(since, &time.Time{})
		return b, err
	})
	if err != nil {
		return nil, fmt.Errorf("ask who holds a lock: %w", err)
	}
	return found, nil
}

// wait is the lock that a session waits for.
type wait struct {
	table   string // the table whose lock it wants; "" if it waits for something else
	holders []Blocker
}

func (w wait) String() string {
	if len(w.holders) == 0 {
		return "a lock was not free"
	}
	names := make([]string, len(w.holders))
	for i, b := range w.holders {
		names[i] = b.String()
	}
	what := "a lock"
	if w.table != "" {
		what = "table " + w.table
	}
	return what + " is held by " + strings.Join(names, " and ")
}

// waitOf returns the lock that the sessions of a name wait for, and the zero wait if they do
// not wait. The first query is cheap and runs often. The second one stops the lock manager
// for a moment, so it runs only if there is a wait.
func waitOf(ctx context.Context, db projections.Querier, application string) (w wait, err error) {
	var waiting []int
	err = db.QueryRow(ctx, `
		SELECT coalesce(array_agg(pid), '{}') FROM pg_stat_activity
		WHERE datname = current_database() AND application_name = $1 AND wait_event_type = 'Lock'`, application).Scan(&waiting)
	if err != nil {
		return w, fmt.Errorf("ask whether somebody waits: %w", err)
	}
	if len(waiting) == 0 {
		return w, nil
	}
	err = db.QueryRow(ctx, `
		SELECT coalesce(min(relation::regclass::text), '') FROM pg_locks JOIN pg_class ON pg_class.oid = relation
		WHERE pid = ANY ($1) AND NOT granted AND relkind IN ('r', 'p')`, waiting).Scan(&w.table)
	if err != nil {
		return w, fmt.Errorf("ask what somebody waits for: %w", err)
	}
	w.holders, err = describe(ctx, db, `SELECT unnest(pg_blocking_pids(waiting)) FROM unnest($1::int[]) waiting`, waiting)
	return w, err
}

// byPostgres reports whether a process of Postgres itself is in the way.
func (w wait) byPostgres() bool { return slices.ContainsFunc(w.holders, Blocker.ofPostgres) }
