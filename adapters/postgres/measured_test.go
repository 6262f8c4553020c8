package postgres_test

import (
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/event/eventtest"
)

// measured returns what collectors say, by name and labels.
func measured(t *testing.T, of ...prometheus.Collector) map[string]float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(of...)
	return gathered(t, registry)
}

func gathered(t *testing.T, registry *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			name := []string{strings.TrimPrefix(family.GetName(), "frontdesk_")}
			for _, label := range m.GetLabel() {
				name = append(name, label.GetValue())
			}
			found[strings.Join(name, " ")] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	return found
}

func TestAPoolTellsWhatBecomesOfItsConnections_D110(t *testing.T) {
	t.Parallel()
	pool, err := postgres.NewPool(t.Context(), postgrestest.New(t).URL, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	of := postgres.PoolMetrics(map[string]*pgxpool.Pool{"calls": pool})
	held, err := pool.Acquire(t.Context()) // which has to be opened, and so is waited for
	if err != nil {
		t.Fatal(err)
	}
	waits := make(chan error)
	go func() { waits <- pool.Ping(t.Context()) }()
	clocktest.Eventually(t, func() bool { return pool.Stat().EmptyAcquireCount() >= 1 && pool.Stat().AcquiredConns() == 1 }, "a caller waits")
	got := measured(t, of)
	if got["pool_connections calls in-use"] != 1 || got["pool_connections calls idle"] != 0 || got["pool_connections_max calls"] != 1 {
		t.Errorf("with one in use it tells %v", got)
	}
	held.Release()
	if err := <-waits; err != nil {
		t.Fatal(err)
	}
	got = measured(t, of)
	waited := got["pool_wait_seconds_total calls"]
	delete(got, "pool_wait_seconds_total calls")
	want := map[string]float64{
		"pool_connections calls in-use": 0, "pool_connections calls idle": 1, "pool_connections calls opening": 0, "pool_connections_max calls": 1,
		"pool_acquisitions_total calls": 2, "pool_waits_total calls": 2, "pool_given_up_total calls": 0,
	}
	if diff := cmp.Diff(want, got); diff != "" || waited <= 0 {
		t.Errorf("waited %v s (-want +got):\n%s", waited, diff)
	}
}

// A clock that is wrong is told by as much as it is wrong at least, and with its sign. One that
// is right is never called wrong, however long the way is.
func TestTheOffsetOfTheClockIsTold_D110(t *testing.T) {
	t.Parallel()
	pool := postgrestest.New(t).Pool(t)
	for wrong, want := range map[time.Duration]float64{0: 0, time.Hour: 3600, -time.Hour: -3600} {
		got := measured(t, postgres.ClockOffset(pool, func() time.Time { return clock.System().Add(wrong) }))["clock_offset_seconds"]
		if math.Abs(got-want) > 60 || math.Abs(got) > math.Abs(want) {
			t.Errorf("a clock that is wrong by %v is told as %v s", wrong, got)
		}
	}
	if got := measured(t, postgres.ClockOffset(closed(t), clock.System)); len(got) != 0 {
		t.Errorf("without a database it tells %v", got)
	}
}

// However few events there are: a sequencer or a consumer that does nothing is seen.
func TestLagIsMeasuredInSeconds_D132(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	now := noon
	e.store.Now = func() time.Time { return now }
	of := postgres.Lag(e.pool, func() time.Time { return now })
	wants := func(when string, want map[string]float64) {
		t.Helper()
		got := measured(t, of)
		for name, seconds := range want {
			if is, ok := got[name]; !ok || is != seconds {
				t.Errorf("%s, %s is %v, want %v", when, name, is, seconds)
			}
		}
	}
	wants("at rest", map[string]float64{"unsequenced_age_seconds": 0})
	slow := e.begin(t) // draws its position first, commits after others are placed, and is then in a gap
	if _, err := slow.Exec(t.Context(), `
		INSERT INTO events (id, tenant, stream, version, name, data, metadata, recorded_at)
		VALUES (gen_random_uuid(), 'elm-street', gen_random_uuid(), 1, 'test.counted.v1', '{"n":1}', '{}', $1)`, noon); err != nil {
		t.Fatal(err)
	}
	now = noon.Add(30 * time.Second)
	e.append(t, newStream(), 0, eventtest.Counted{N: 1})
	now = now.Add(60 * time.Second)
	wants("before it is placed", map[string]float64{"unsequenced_age_seconds": 60})
	e.drain(t)
	if _, err := e.pool.Exec(t.Context(), `INSERT INTO feed_offsets (consumer, idx) VALUES ('slow', 0), ('quick', 1)`); err != nil {
		t.Fatal(err)
	}
	wants("when it is placed", map[string]float64{"unsequenced_age_seconds": 0, "consumer_lag_seconds slow": 60, "consumer_lag_seconds quick": 0})
	if err := slow.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	wants("when an event is in a gap", map[string]float64{"unsequenced_age_seconds": 90})
	now = noon.Add(-time.Hour)
	wants("with a clock that is behind", map[string]float64{"unsequenced_age_seconds": 0, "consumer_lag_seconds slow": 0})
}

func closed(t *testing.T) *pgxpool.Pool {
	t.Helper()
	pool, err := postgres.NewPool(t.Context(), postgrestest.New(t).URL, 1)
	if err != nil {
		t.Fatal(err)
	}
	pool.Close()
	return pool
}

func TestTheAgesOfKeysAreTold_D110(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	of := postgres.KeyAges(db.Pool(t))
	if got := measured(t, of); len(got) != 0 {
		t.Errorf("without keys it tells %v", got)
	}
	_, err := db.AdminPool(t).Exec(t.Context(), `
		INSERT INTO master_keys (id, since, replaced_at) VALUES ('old', to_timestamp(1), to_timestamp(2)), ('new', to_timestamp(2), NULL);
		INSERT INTO signing_keys (kid, n, e, state, since, staged_at) VALUES ('a', '', '', 'retired', to_timestamp(3), to_timestamp(3)),
			('b', '', '', 'active', to_timestamp(4), to_timestamp(3)), ('c', '', '', 'staged', to_timestamp(6), to_timestamp(6)), ('d', '', '', 'staged', to_timestamp(5), to_timestamp(5))`)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{
		"master_key_since_timestamp_seconds": 2, "signing_key_since_timestamp_seconds active": 4, "signing_key_since_timestamp_seconds staged": 5,
	}
	if diff := cmp.Diff(want, measured(t, of)); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// A sweep that fails is counted, is no sweep that came to its end, and keeps no other from it.
func TestSweepsAreCounted_D110(t *testing.T) {
	t.Parallel()
	c, registry := newCabinet(t), prometheus.NewRegistry()
	now := noon.AddDate(0, 0, 2)
	later := func() time.Time { return now }
	working, away := postgres.On(c.pool), postgres.On(closed(t))
	sweeper := postgres.Sweeper{
		DB: working, Uploads: c.Uploads, Now: later, RealNow: later, Log: slog.New(slog.DiscardHandler), Metrics: postgres.NewSweepMetrics(registry, later),
	}
	_, err := c.pool.Exec(t.Context(), `INSERT INTO uploads SELECT 'elm-street', md5(n::text)::uuid, $1 FROM generate_series(1, 3) n`, noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := sweeper.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	sweeper.DB, now = away, now.Add(time.Hour)
	if sweeper.Sweep(t.Context()) == nil {
		t.Error("a sweep of answers without a database succeeds")
	}
	noAnswers := float64(now.Unix())
	sweeper.DB, sweeper.Uploads, now = working, &postgres.Uploads{DB: away, Now: later}, now.Add(time.Hour)
	if sweeper.Sweep(t.Context()) == nil {
		t.Error("a sweep of uploads without a database succeeds")
	}
	noUploads := float64(now.Unix())
	want := map[string]float64{
		"swept_total uploads": 3, "swept_total answers": 0, "swept_total deliveries": 0,
		"sweep_failures_total uploads": 1, "sweep_failures_total answers": 1, "sweep_failures_total deliveries": 0,
		"sweep_completed_timestamp_seconds uploads": noAnswers, "sweep_completed_timestamp_seconds answers": noUploads,
	}
	if diff := cmp.Diff(want, gathered(t, registry)); diff != "" {
		t.Errorf("counted (-want +got):\n%s", diff)
	}
}
