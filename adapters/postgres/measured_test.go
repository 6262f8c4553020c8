package postgres_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
)

func TestPoolMetricsCountConnections_D110(t *testing.T) {
	t.Parallel()
	pool, err := postgres.NewPool(t.Context(), postgrestest.New(t).URL, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	metrics := postgres.PoolMetrics(map[string]*pgxpool.Pool{"calls": pool})
	held, err := pool.Acquire(t.Context()) // which has to be opened, and so is waited for
	if err != nil {
		t.Fatal(err)
	}
	waits := make(chan error)
	go func() { waits <- pool.Ping(t.Context()) }()
	clocktest.Eventually(t, func() bool { return pool.Stat().EmptyAcquireCount() >= 1 && pool.Stat().AcquiredConns() == 1 }, "a caller waits")
	got := enginetest.Measured(t, metrics)
	if got["pool_connections calls in-use"] != 1 || got["pool_connections calls idle"] != 0 || got["pool_connections_max calls"] != 1 {
		t.Errorf("with one in use it reports %v", got)
	}
	held.Release()
	if err := <-waits; err != nil {
		t.Fatal(err)
	}
	got = enginetest.Measured(t, metrics)
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

// The measured offset of a wrong clock is a lower bound, with its sign. The offset of a right
// clock is 0, however long the round trip takes.
func TestClockOffsetIsMeasured_D110(t *testing.T) {
	t.Parallel()
	pool := postgrestest.New(t).Pool(t)
	for wrong, want := range map[time.Duration]float64{0: 0, time.Hour: 3600, -time.Hour: -3600} {
		got := enginetest.Measured(t, postgres.ClockOffset(pool, func() time.Time { return clock.System().Add(wrong) }))["clock_offset_seconds"]
		if math.Abs(got-want) > 60 || math.Abs(got) > math.Abs(want) {
			t.Errorf("a clock that is wrong by %v is measured as %v s", wrong, got)
		}
	}
	if got := enginetest.Measured(t, postgres.ClockOffset(closed(t), clock.System)); len(got) != 0 {
		t.Errorf("without a database it reports %v", got)
	}
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
