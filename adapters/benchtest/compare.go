package benchtest

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Rate is something to measure, with its unit, for example "appends/s".
type Rate struct {
	Unit    string
	Measure func() (perSecond float64)
}

const turns = 9

// Compare measures a floor and a rate in turns. It reports the medians of both
// and, under the unit ratio, the median of their ratios.
func Compare(b *testing.B, ratio string, floor, rate Rate) {
	b.Helper()
	var floors, rates, ratios []float64
	for range turns {
		least, whole := floor.Measure(), rate.Measure()
		floors, rates, ratios = append(floors, least), append(rates, whole), append(ratios, whole/least)
	}
	b.ReportMetric(median(floors), floor.Unit)
	b.ReportMetric(median(rates), rate.Unit)
	b.ReportMetric(median(ratios), ratio)
	b.ReportMetric(0, "ns/op")
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// PerSecond lets a number of workers do something for a while, and returns how
// often they did it a second.
func PerSecond(b *testing.B, workers int, during time.Duration, do func(context.Context) error) float64 {
	b.Helper()
	var done atomic.Int64
	var group sync.WaitGroup
	begun := time.Now()
	for range workers {
		group.Go(func() {
			for ; time.Since(begun) < during; done.Add(1) {
				if err := do(b.Context()); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	return float64(done.Load()) / time.Since(begun).Seconds()
}
