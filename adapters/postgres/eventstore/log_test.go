package eventstore_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/projections"
)

func newMetrics(t *testing.T) (*prometheus.Registry, *eventstore.Metrics) {
	t.Helper()
	registry := prometheus.NewRegistry()
	return registry, eventstore.NewMetrics(registry)
}

func TestTheLogIsReadFromAnyPlaceInPages(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.AppendMany(t, 30)
	e.Drain(t)
	for _, after := range []int64{0, 1, 7, 29, 30, 31} {
		next := after
		for recorded, err := range e.Log.After(t.Context(), after) {
			if err != nil {
				t.Fatal(err)
			}
			if next++; recorded.Idx != next {
				t.Fatalf("after idx %d: idx %d, want %d", after, recorded.Idx, next)
			}
		}
		if want := max(after, 30); next != want {
			t.Errorf("after idx %d: read up to %d, want %d", after, next, want)
		}
	}
	if head, err := e.Log.Head(t.Context()); err != nil || head != 30 {
		t.Errorf("head = %d, %v", head, err)
	}
}

func TestAGapInTheLogIsAnError(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	e.AppendMany(t, 10)
	e.Drain(t)
	_, err := db.AdminPool(t).Exec(t.Context(), `ALTER TABLE log DISABLE TRIGGER ALL; DELETE FROM log WHERE idx = 5`)
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, err = range e.Log.After(t.Context(), 0) {
		if err == nil {
			read++
		}
	}
	if err == nil || !strings.Contains(err.Error(), "idx 5 is missing") || read != 4 {
		t.Errorf("read %d events, then %v", read, err)
	}
}

// This holds however long the log is: a sort would make catching up quadratic.
func TestReadingTheLogSortsNothing(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	stream, hundred := enginetest.NewStream(), make([]event.Event, 100)
	for i := range hundred {
		hundred[i] = eventtest.Counted{N: i}
	}
	for i := range 20 {
		e.Append(t, stream, i*100, hundred...)
	}
	e.Drain(t)
	// No ANALYZE: the plan must be right even without statistics.
	if _, err := db.AdminPool(t).Exec(t.Context(), `INSERT INTO feed_offsets VALUES ('c', 100)`); err != nil {
		t.Fatal(err)
	}
	for name, query := range map[string]string{
		"the feed":   strings.NewReplacer("$1", "'c'", "$2", "'"+uuid.NewString()+"'", "$3", "100").Replace(eventstore.NextPage),
		"the tail":   strings.NewReplacer("$1", "100", "$2", "'"+uuid.NewString()+"'", "$3", "100").Replace(eventstore.ReadStretch),
		"the reader": strings.NewReplacer("$1", "100", "$2", "100").Replace(eventstore.ReadLog),
	} {
		if plan := planOf(t, e.Pool, query); strings.Contains(plan, "Sort") || strings.Contains(plan, "Hash") {
			t.Errorf("%s:\n%s", name, plan)
		}
	}
}

// planOf returns the plan of a statement.
func planOf(t *testing.T, db projections.Querier, statement string) string {
	t.Helper()
	rows, _ := db.Query(t.Context(), "EXPLAIN "+statement)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// Statements are prepared once for each connection, perhaps while the tables are empty.
// To read them from end to end looks cheap then, and is not later.
func TestPlansMadeOfEmptyTablesWalkIndexes(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	conn, plans := explaining(t, db)
	do := func(statements ...string) {
		for _, statement := range statements {
			if _, err := conn.Exec(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
	}
	const executeFeed, executeTail = `EXECUTE feed ('c', gen_random_uuid(), 5)`, `EXECUTE tail (5, gen_random_uuid(), 8000000)`
	const oneHasEnded = `UPDATE sequencer SET late = '{1}', above = '{0}'`
	do("SELECT sequence_events(1000, true)", oneHasEnded, "SELECT sequence_events(1000, true)", // plans all three steps
		"SET plan_cache_mode = force_generic_plan",
		"PREPARE feed (text, uuid, bigint) AS "+eventstore.NextPage, executeFeed,
		"PREPARE tail (bigint, uuid, bigint) AS "+eventstore.ReadStretch, executeTail,
		"PREPARE waits AS "+eventstore.ReadProgress, "EXECUTE waits", "PREPARE behind (int8) AS "+eventstore.IsBehind, "EXECUTE behind (0)")
	for range 3000 {
		e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 1})
	}
	plans.Reset()
	do("UPDATE sequencer SET gaps = '{[-1,0)}'", "EXECUTE waits", "EXECUTE behind (0)", "UPDATE sequencer SET gaps = '{}'",
		executeFeed, executeTail, "SELECT sequence_events(1000, true)", oneHasEnded, "SELECT sequence_events(1000, true)")
	for _, seen := range []string{"INSERT INTO public.log", "ctid AS place", "pg_locks", "max(position) FROM events", "SELECT reached <"} {
		if !strings.Contains(plans.String(), seen) {
			t.Errorf("no plan of a statement with %s", seen)
		}
	}
	for _, dear := range []string{"Seq Scan on events ", "Seq Scan on log ", "Seq Scan on old_gaps ", "Bitmap", "JIT"} {
		if strings.Contains(plans.String(), dear) {
			t.Errorf("%s in\n%s", dear, plans)
		}
	}
}

// explaining returns a connection, and the plans of all that it runs, also inside
// functions.
func explaining(t *testing.T, db *postgrestest.Database) (conn *pgx.Conn, plans *strings.Builder) {
	t.Helper()
	config, err := pgx.ParseConfig(db.SuperuserURL)
	if err != nil {
		t.Fatal(err)
	}
	plans = &strings.Builder{}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { plans.WriteString(n.Message) }
	conn, err = pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	_, err = conn.Exec(t.Context(), `LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on; SET client_min_messages = log`)
	if err != nil {
		t.Fatal(err)
	}
	return conn, plans
}

func TestMomentNamesTheEventBefore_D104(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.AppendMany(t, 10)
	e.Drain(t)
	log := e.Logged(t)
	for after, want := range map[int64]uuid.UUID{0: {}, 4: log[3].ID, 9: log[8].ID, 10: log[9].ID} {
		now, err := e.Log.Moment(t.Context(), after, 3, 1<<20)
		if err != nil || now.Before != want || len(now.Events) != int(min(3, 10-after)) {
			t.Errorf("after idx %d: %d events after %s (%v), want those after %s", after, len(now.Events), now.Before, err, want)
		}
		for n, s := range now.Events {
			if s.ID != log[after+int64(n)].ID || s.Sealed != nil || now.Head != 10 || now.Epoch != 1 {
				t.Errorf("after idx %d: %+v", after, now)
			}
		}
	}
}
