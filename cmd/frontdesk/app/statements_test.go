package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// statement is one that the program sent, with its parameters of the first time.
type statement struct {
	sql    string
	args   []any
	afresh bool     // it is planned each time, for its parameters
	before []string // the settings for it in the same batch
}

// statements collects the statements that the program sends, each text once. One that is
// planned for its parameters is collected with all of them.
type statements struct {
	mu   sync.Mutex
	seen map[string]statement
}

func newStatements() *statements { return &statements{seen: map[string]statement{}} }

var (
	asks = regexp.MustCompile(`(?i)^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b`)
	sets = regexp.MustCompile(`set_config\('(enable_|plan_cache_mode)[^)]*\)`)
)

func (s *statements) note(sql string, args []any, before []string) {
	if !asks.MatchString(sql) {
		return
	}
	asked := statement{sql: sql, before: slices.Clone(before)}
	for _, arg := range args {
		switch option := arg.(type) {
		case pgx.QueryExecMode:
			asked.afresh = option == pgx.QueryExecModeCacheDescribe
		case pgx.QueryResultFormats, pgx.QueryResultFormatsByOID:
		default:
			asked.args = append(asked.args, arg)
		}
	}
	key := sql
	if asked.afresh {
		key = fmt.Sprint(sql, asked.args)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.seen[key]; !known {
		s.seen[key] = asked
	}
}

// TraceQueryStart notes a statement.
func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, asked pgx.TraceQueryStartData) context.Context {
	s.note(asked.SQL, asked.Args, nil)
	return ctx
}

// TraceBatchStart notes the statements of a batch.
func (s *statements) TraceBatchStart(ctx context.Context, _ *pgx.Conn, sent pgx.TraceBatchStartData) context.Context {
	var before []string
	for _, asked := range sent.Batch.QueuedQueries {
		s.note(asked.SQL, asked.Arguments, before)
		if settings := sets.FindAllString(asked.SQL, -1); len(settings) > 0 {
			before = append(before, "SELECT "+strings.Join(settings, ", "))
		}
	}
	return ctx
}

// TraceQueryEnd, TraceBatchQuery and TraceBatchEnd have nothing to add.
func (s *statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData)     {}
func (s *statements) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (s *statements) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

// plan is a node of a plan, as EXPLAIN prints it.
type plan struct {
	Kind      string `json:"Node Type"`
	Table     string `json:"Relation Name"`
	Index     string `json:"Index Name"`
	IndexCond string `json:"Index Cond"`
	Filter    string
	Plans     []plan
}

// planner returns the plan that a database makes for a statement.
type planner struct {
	conn     *pgx.Conn
	within   pgx.Tx // in which the database has forgotten its statistics; nil otherwise
	prepared int
}

// forValues returns the plan for the parameters that the statement was sent with; false
// if it is about a table that was there for a moment only.
func (p *planner) forValues(t *testing.T, s statement) (plan, bool) {
	t.Helper()
	return p.explain(t, s, func(tx pgx.Tx) (pgx.Row, error) {
		return tx.QueryRow(t.Context(), "EXPLAIN (FORMAT JSON) "+s.sql, s.args...), nil
	})
}

// forget removes the statistics of the tables, as after pg_upgrade, until remember is called.
// It does not commit, so that autovacuum cannot interfere.
func (p *planner) forget(t *testing.T) (remember func()) {
	t.Helper()
	tx, err := p.conn.Begin(t.Context())
	must(t, err)
	p.do(t, tx, `SET LOCAL allow_system_table_mods = on`, `DELETE FROM pg_statistic`,
		`UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace`)
	p.within = tx
	return func() { p.within = nil; must(t, tx.Rollback(t.Context())) }
}

// forAny returns the plan that a prepared statement keeps for all parameters.
func (p *planner) forAny(t *testing.T, s statement) (plan, bool) {
	t.Helper()
	return p.explain(t, s, func(tx pgx.Tx) (pgx.Row, error) {
		p.prepared++
		name := fmt.Sprintf("asked_%d", p.prepared)
		execute := "EXPLAIN (FORMAT JSON) EXECUTE " + name
		if len(s.args) > 0 {
			execute += "(" + strings.TrimSuffix(strings.Repeat("NULL, ", len(s.args)), ", ") + ")"
		}
		p.do(t, tx, "SET LOCAL plan_cache_mode = force_generic_plan")
		_, err := tx.Exec(t.Context(), "PREPARE "+name+" AS "+s.sql, pgx.QueryExecModeSimpleProtocol)
		return tx.QueryRow(t.Context(), execute, pgx.QueryExecModeSimpleProtocol), err
	})
}

// explain asks in a transaction that is rolled back, with the same settings.
func (p *planner) explain(t *testing.T, s statement, ask func(pgx.Tx) (pgx.Row, error)) (found plan, there bool) {
	t.Helper()
	begin := p.conn.Begin
	if p.within != nil {
		begin = p.within.Begin
	}
	tx, err := begin(t.Context())
	must(t, err)
	defer func() { _ = tx.Rollback(t.Context()) }()
	p.do(t, tx, s.before...)
	row, err := ask(tx)
	var text []byte
	if err == nil {
		err = row.Scan(&text)
	}
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == "42P01" {
		return plan{}, false
	}
	if err != nil {
		t.Fatalf("explain %s: %v", s.sql, err)
	}
	var plans []struct{ Plan plan }
	must(t, json.Unmarshal(text, &plans))
	return plans[0].Plan, true
}

func (p *planner) do(t *testing.T, tx pgx.Tx, sql ...string) {
	t.Helper()
	for _, statement := range sql {
		if _, err := tx.Exec(t.Context(), statement, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// tables holds which tables are large, which indexes are partial, and the table of each
// index.
type tables struct {
	large, partial []string
	indexes        map[string]string
}

// wholly lists the large tables that a plan reads from end to end. It may walk an index
// without a condition if a limit ends the walk and no row is left out on the way, or if
// the index holds only the few rows that are asked for.
func (in tables) wholly(p plan, limited bool) (read []string) {
	switch p.Kind {
	case "Limit":
		limited = true
	case "Sort", "Aggregate", "Hash", "Materialize":
		limited = false
	}
	walked := strings.Contains(p.Kind, "Index") && p.IndexCond == "" && !slices.Contains(in.partial, p.Index) && (!limited || p.Filter != "")
	table := p.Table
	if p.Kind == "Bitmap Index Scan" {
		table = p.Index
	}
	if p.Kind == "Seq Scan" && slices.Contains(in.large, table) || walked && (table == p.Index || slices.Contains(in.large, table)) {
		read = append(read, fmt.Sprintf("%s on %s %s %s", p.Kind, p.Table, p.Index, p.Filter))
	}
	for _, below := range p.Plans {
		read = append(read, in.wholly(below, limited)...)
	}
	return read
}

// ofTenant matches a condition that a whole practice meets.
var ofTenant = regexp.MustCompile(`^\((\w+\.)?tenant = [^()]*(\([^()]*\))?[^()]*\)$`)

// practices lists the indexes of which a plan reads all entries of a practice and then
// discards most. That grows with the practice's log. It happens without statistics: then
// Postgres estimates any two conditions as equally selective.
func (in tables) practices(p plan, filter string) (read []string) {
	combined := p.Kind == "BitmapAnd"
	if p.Kind != "Bitmap Index Scan" && !combined && p.Kind != "BitmapOr" {
		filter = p.Filter
	}
	table := p.Table
	if p.Kind == "Bitmap Index Scan" {
		table = in.indexes[p.Index]
	}
	if strings.Contains(p.Kind, "Index") && ofTenant.MatchString(p.IndexCond) && slices.Contains(in.large, table) && slices.Contains(ofTheLog, table) && filter != "" {
		read = append(read, fmt.Sprintf("%s on %s where %s, less %s", p.Kind, p.Index, p.IndexCond, filter))
	}
	for _, below := range p.Plans {
		if combined {
			filter = "what is in another index"
		}
		read = append(read, in.practices(below, filter)...)
	}
	return read
}
