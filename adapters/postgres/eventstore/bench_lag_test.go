package eventstore_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/domain/event"
)

// BenchmarkLag measures the way from an append's return to the feed's handler: at rest,
// at 200 events a second, and under half the load that 8 writers reach. It also reports the
// CPU time of an event, including the append's.
func BenchmarkLag(b *testing.B) {
	admin, _, e := durable(b, 24)
	cluster := benchtest.ClusterOf(b, admin)
	e.sequence(b)
	var arrived sync.Map // id → time
	enginetest.RunUntilCleanup(b, e.consumer("lag", each(func(_ context.Context, _ *pgx.Conn, r event.Recorded) error {
		arrived.Store(r.ID, clock.System())
		return nil
	})).Run)
	full := benchtest.During(b, 8, 2*time.Second, e.appendOne).PerSecond()
	for name, perSecond := range map[string]float64{"at rest": 10, "at 200 a second": 200, "at half load": full / 2} {
		b.Run(name, func(b *testing.B) { e.lag(b, cluster, &arrived, perSecond) })
	}
}

// lag appends at a pace that no answer slows down, for ten seconds, or for three in a
// short run.
func (e *engine) lag(b *testing.B, cluster string, arrived *sync.Map, perSecond float64) {
	b.Helper()
	var mu sync.Mutex
	committed := map[uuid.UUID]time.Time{}
	during := 10 * time.Second
	if testing.Short() {
		during = 3 * time.Second
	}
	cpu, watch := benchtest.CPU(cluster), clock.Start()
	var group sync.WaitGroup
	for n := 0; ; n++ {
		due := time.Duration(float64(n) / perSecond * float64(time.Second))
		if due > during {
			break
		}
		time.Sleep(due - watch.Elapsed())
		group.Go(func() {
			recorded, err := e.Store.Append(b.Context(), event.Change{Stream: enginetest.NewStream(), Events: []event.Event{sample}})
			now := clock.System()
			if err != nil {
				b.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			committed[recorded[0].ID] = now
		})
	}
	group.Wait()
	var lags []float64
	for id, at := range committed {
		clocktest.Eventually(b, func() bool {
			seen, ok := arrived.Load(id)
			if ok {
				lags = append(lags, max(0, float64(seen.(time.Time).Sub(at).Microseconds())/1000))
			}
			return ok
		}, "event %s arrives", id)
	}
	b.ReportMetric(float64((benchtest.CPU(cluster)-cpu).Microseconds())/float64(len(lags)), "µs-event")
	b.ReportMetric(float64(len(lags))/during.Seconds(), "events/s")
	b.ReportMetric(benchtest.Quantile(lags, 0.5), "p50-ms")
	b.ReportMetric(benchtest.Quantile(lags, 0.99), "p99-ms")
	b.ReportMetric(0, "ns/op")
}
