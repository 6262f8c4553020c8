package projections_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain"
	"frontdesk/domain/event"
	"frontdesk/projections"
	"frontdesk/projections/projectionstest"
)

// For any events, replaying the log into fresh tables makes the same rows as the live
// projections.
func TestEveryReadModelCanBeRebuiltFromTheLog(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	d, admin := &day{projectionstest.On(t, db)}, db.AdminPool(t)
	liveThrough(t, d)
	for _, p := range projections.Following() {
		d.follow(t, p) // and so is everything at the head of the log
	}
	tables := readModels(t, admin)
	d.rebuild(t, admin, tables, d.Keys, projections.All())
	for _, table := range tables {
		live, rebuilt := dump(t, admin, "public."+table), dump(t, admin, "rebuilt."+table)
		if diff := cmp.Diff(live, rebuilt); diff != "" {
			t.Errorf("%s (-live +rebuilt):\n%s", table, diff)
		}
	}
}

// Personal data makes no row of a read model, except in tables that declare it.
func TestReadModelIgnoresHiddenValues_D68(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	d, admin := &day{projectionstest.On(t, db)}, db.AdminPool(t)
	liveThrough(t, d)
	for _, p := range projections.Following() {
		d.follow(t, p)
	}
	hidden := slices.DeleteFunc(projections.All(), func(p projections.Projection) bool {
		return slices.ContainsFunc(projections.TablesOf(p), func(t projections.Table) bool { return len(t.Of) > 0 })
	})
	if len(projections.All())-len(hidden) != 2 {
		t.Errorf("%d read models hold personal data, want staff and answers alone", len(projections.All())-len(hidden))
	}
	d.rebuild(t, admin, readModels(t, admin), nil, hidden)
	for _, p := range hidden {
		for _, table := range projections.TablesOf(p) {
			live, rebuilt := dump(t, admin, "public."+table.Name), dump(t, admin, "rebuilt."+table.Name)
			if diff := cmp.Diff(live, rebuilt); diff != "" {
				t.Errorf("%s (-live +rebuilt):\n%s", table.Name, diff)
			}
		}
	}
}

// personal is the personal data in [life] of patients, and of staff from outside the
// practice.
var personal = []string{"Archer", "Baker", "1980-02-29", "a cough", "rash.png", "Doe", "rang twice", "about Bill", "rang again"}

// The tables reveal neither a patient's name nor a patient's words.
func TestReadModelsHoldNoPatientData_D68(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	d, admin := &day{projectionstest.On(t, db)}, db.AdminPool(t)
	liveThrough(t, d)
	for _, p := range projections.Following() {
		d.follow(t, p)
	}
	everything := ""
	for _, table := range append(readModels(t, admin), "events") {
		rows := strings.Join(dump(t, admin, table), "\n")
		for _, value := range append(personal, event.Hidden) {
			if value == event.Hidden && table == "events" {
				continue
			}
			if strings.Contains(rows, value) {
				t.Errorf("%s holds %q", table, value)
			}
		}
	}
	for e, err := range (eventstore.Log{DB: d.Pool, Codec: d.Codec, Opens: d.Keys}).After(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		everything += string(text)
	}
	for _, value := range personal {
		if !strings.Contains(everything, value) {
			t.Errorf("%q does not happen in this test", value)
		}
	}
}

// readModels lists every table except those of the log, and those that no event could
// fill.
func readModels(t *testing.T, admin *pgxpool.Pool) (tables []string) {
	t.Helper()
	rows, _ := admin.Query(t.Context(), `SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`)
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	others := []string{"events", "log", "sequencer", "old_gaps", "feed_offsets", "goose_db_version", "schema_support", "uploads", "upload_chunks",
		"access_record", "access_record_default", "delivered", "delivered_default", "archives", "sealing", "master_keys", "master_key_holders", "personal_keys", "erasure_masters", "table_rewrites",
		"access_log", "access_head", "access_waiting", "archived_trees", "trees", "tree_tail", "tree_tiles", "prover", "checkpoints"}
	return slices.DeleteFunc(all, func(table string) bool { return slices.Contains(others, table) })
}

// rebuild replays the log into tables of the same names in a schema of its own.
func (d *day) rebuild(t *testing.T, admin *pgxpool.Pool, tables []string, opens projections.Opener, all []projections.Projection) {
	t.Helper()
	conn, err := admin.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	exec(`CREATE SCHEMA rebuilt`)
	for _, table := range tables {
		exec(`CREATE TABLE rebuilt.` + table + ` (LIKE public.` + table + ` INCLUDING ALL)`)
	}
	exec(`SET search_path = rebuilt`)
	for e, err := range (eventstore.Log{DB: d.Pool, Codec: d.Codec, Opens: opens}).After(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range all {
			p.Project(e, exec)
		}
	}
}

func dump(t *testing.T, admin *pgxpool.Pool, table string) []string {
	t.Helper()
	rows, _ := admin.Query(t.Context(), `SELECT to_jsonb(t)::text FROM `+table+` t ORDER BY 1`)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// liveThrough appends every event that changes any read model, and fails if one is
// missing.
func liveThrough(t *testing.T, d *day) {
	t.Helper()
	happened := map[string]bool{}
	for _, c := range life(t, d) {
		ctx := event.WithMetadata(t.Context(), c.metadata)
		history, err := d.Store.Load(ctx, c.stream)
		if err != nil {
			t.Fatal(err)
		}
		d.happened(ctx, t, c.stream.Tenant, c.stream.ID, len(history), c.events...)
		for _, e := range c.events {
			happened[e.EventName()] = true
		}
	}
	for _, e := range domain.Events() {
		for _, p := range projections.All() {
			if cares(p, e) && !happened[e.EventName()] {
				t.Errorf("%s cares about %s, which does not happen in this test: add it", p.Name(), e.EventName())
			}
		}
	}
}

func cares(p projections.Projection, e event.Event) (statements bool) {
	p.Project(event.Recorded{Event: e, ID: uuid.New()}, func(string, ...any) { statements = true })
	return statements
}
