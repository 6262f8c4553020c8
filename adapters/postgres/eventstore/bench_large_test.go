package eventstore_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

// BenchmarkLarge measures how long appends of eight writers take, alone and next to a writer
// that appends one event of 4 MiB after another.
func BenchmarkLarge(b *testing.B) {
	_, _, e := durable(b, 40)
	e.sequence(b)
	large := eventtest.Marked{Mark: strings.Repeat("It hurts. ", 4<<20/10)}
	var alone, beside, large99 []float64
	for range 5 {
		alone = append(alone, e.latencies(b, 8, e.appendOne)...)
		var writing sync.WaitGroup
		ctx, stop := context.WithCancel(b.Context())
		writing.Go(func() {
			for ctx.Err() == nil {
				begun := clock.Start()
				if _, err := e.Store.Append(b.Context(), event.Change{Stream: enginetest.NewStream(), Events: []event.Event{large}}); err != nil {
					b.Error(err)
					return
				}
				large99 = append(large99, milliseconds(begun))
			}
		})
		beside = append(beside, e.latencies(b, 8, e.appendOne)...)
		stop()
		writing.Wait()
	}
	for unit, values := range map[string][]float64{"ms-alone": alone, "ms-beside": beside, "ms-large": large99} {
		b.ReportMetric(benchtest.Quantile(values, 0.5), unit+"-p50")
		b.ReportMetric(benchtest.Quantile(values, 0.99), unit+"-p99")
	}
	b.ReportMetric(float64(len(beside))/float64(len(alone)), "of-rate-alone")
	b.ReportMetric(0, "ns/op")
}

// latencies returns how many milliseconds each append of some writers takes within 2 s.
func (e *engine) latencies(b *testing.B, writers int, do func(context.Context) error) (all []float64) {
	b.Helper()
	var mu sync.Mutex
	benchtest.During(b, writers, 2*time.Second, func(ctx context.Context) error {
		begun := clock.Start()
		err := do(ctx)
		mu.Lock()
		defer mu.Unlock()
		all = append(all, milliseconds(begun))
		return err
	})
	return all
}

func milliseconds(begun clock.Stopwatch) float64 {
	return float64(begun.Elapsed().Microseconds()) / 1000
}
