package eventstore_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/event/eventtest"
)

// missingEvents returns the missing events, as position and idx.
func (e *engine) missingEvents(t *testing.T) (found [][2]int64) {
	t.Helper()
	all, err := e.Log.MissingEvents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, loss := range all.First {
		found = append(found, [2]int64{loss.Position, loss.Idx})
	}
	if int(all.Count) != len(found) || (all.Err() == nil) != (all.Count == 0) {
		t.Errorf("%d missing events: %v", all.Count, all.Err())
	}
	return found
}

func wantLosses(t *testing.T, e *engine, want ...[2]int64) {
	t.Helper()
	if diff := cmp.Diff(want, e.missingEvents(t)); diff != "" {
		t.Errorf("missing events (-want +got):\n%s", diff)
	}
}

func TestPendingEventsAreNotLost_D54(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	late := e.inFlight(t) // position 1
	e.AppendMany(t, 3)
	e.Drain(t) // 2 to 4
	if err := late.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.AppendMany(t, 2) // 5 and 6
	wantLosses(t, e)   // 1 fills a gap, and the sequencer comes to the others
	e.Drain(t)
	wantLosses(t, e)
}

// jump moves the sequence, as many draws that were rolled back do.
func jump(t *testing.T, db *postgrestest.Database, to int64) {
	t.Helper()
	enginetest.Execute(t, db.SuperuserURL, fmt.Sprintf(`SELECT setval(pg_get_serial_sequence('events', 'position'), %d)`, to))
}

func TestMissingEventsAreNamed_D54(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	e.AppendMany(t, 5)
	e.Drain(t)
	jump(t, db, 250_000)
	e.AppendMany(t, 5)
	e.Drain(t)
	lose(t, db, `DELETE FROM log WHERE idx IN (2, 9); DELETE FROM events WHERE position = 4`)
	wantLosses(t, e, [2]int64{2, 0}, [2]int64{4, 4}, [2]int64{250_004, 0})
	all, err := e.Log.MissingEvents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	said := enginetest.Text(all.Err())
	for _, want := range []string{"differ at 3 positions", "event " + all.First[0].ID.String() + ", at position 2, is not in the log", "the event of idx 4, which had position 4, is not stored"} {
		if !strings.Contains(said, want) {
			t.Errorf("it says %q, want %q", said, want)
		}
	}
}

// gauge is the value of a metric with a label.
func gauge(t *testing.T, registry *prometheus.Registry, name, label string) float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if family.GetName() == name && m.GetLabel()[0].GetValue() == label {
				return m.GetGauge().GetValue()
			}
		}
	}
	t.Fatalf("there is no %s of %s", name, label)
	return 0
}

// The check sees the newest positions at once and the others in turn. A repaired loss no
// longer counts: its event is placed at the end of the log.
func TestConsistencyCheckCoversAllPositions_D54(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	for _, to := range []int64{30_000, 60_000, 90_000} {
		e.AppendMany(t, 5)
		e.Drain(t)
		jump(t, db, to)
	}
	e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 1})
	e.Drain(t)
	lose(t, db, `DELETE FROM log WHERE idx IN (2, 16); DELETE FROM events WHERE position = 30003`)
	registry, said := prometheus.NewRegistry(), &lines{}
	check := eventstore.NewConsistencyCheck(e.Pool, registry, slog.New(slog.NewTextHandler(said, nil)))
	looks := func(n int, fromLog, fromEvents float64) {
		t.Helper()
		for range n {
			if err := check.Compare(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		const name = "frontdesk_log_missing_events"
		if got := gauge(t, registry, name, "log"); got != fromLog {
			t.Errorf("missing from the log: %v, want %v", got, fromLog)
		}
		if got := gauge(t, registry, name, "events"); got != fromEvents {
			t.Errorf("missing from the events: %v, want %v", got, fromEvents)
		}
	}
	looks(1, 1, 0) // the newest
	looks(4, 2, 1)
	if !said.contain("something is lost") {
		t.Error("nothing is said")
	}
	enginetest.Execute(t, db.AdminURL, `SELECT mend_sequence()`)
	e.Drain(t)
	looks(5, 0, 1)
}

// A check reads a range of two indexes, however long the log is, whether the plan is made
// for these positions or for any.
func TestComparingWalksIndexes_D54(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	enginetest.Execute(t, db.SuperuserURL, `INSERT INTO events (id, tenant, stream, version, name, data, metadata, recorded_at)
		SELECT gen_random_uuid(), 'elm', gen_random_uuid(), 1, 'test.counted.v1', '{}', '{}', now() FROM generate_series(1, 50000)`)
	enginetest.Execute(t, db.SuperuserURL, `INSERT INTO log (idx, position) SELECT position, position FROM events`)
	enginetest.Execute(t, db.SuperuserURL, `VACUUM ANALYZE events`)
	enginetest.Execute(t, db.SuperuserURL, `VACUUM ANALYZE log`)
	conn, err := db.Pool(t).Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(t.Context(), `PREPARE missing (bigint, bigint) AS `+eventstore.MissingBetween); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
		if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = `+mode); err != nil {
			t.Fatal(err)
		}
		plan := planOf(t, conn, `EXECUTE missing (30000, 30500)`)
		for _, dear := range []string{"Seq Scan on events", "Seq Scan on log", "JIT"} {
			if strings.Contains(plan, dear) {
				t.Errorf("%s: %s in\n%s", mode, dear, plan)
			}
		}
	}
}
