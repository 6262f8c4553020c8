package benchtest

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/adapters/clock"
)

// Work is the result of one turn.
type Work struct {
	Done float64 // operations
	Took time.Duration
}

// PerSecond returns operations a second.
func (w Work) PerSecond() float64 { return w.Done / w.Took.Seconds() }

// Rate is work to measure, with its unit, for example "appends/s". A turn may do any
// amount of it. Preparation does not count.
type Rate struct {
	Unit    string
	Prepare func() // may be nil
	Turn    func() Work
}

// Comparison compares a rate with its floor.
type Comparison struct {
	Ratio       string // the unit under which the ratio is reported, such as "of-insert"
	Floor, Rate Rate
	Turns       int    // of each; 0 means 9. A difference of a few hundredths needs more. Short runs take 2
	Cluster     string // data directory of a Postgres on this machine, to report its CPU as well; "" for none
}

const (
	usualTurns = 9
	shortTurns = 2 // of a run that is itself one of many turns
)

func (c Comparison) turns() int {
	if testing.Short() {
		return shortTurns
	}
	return cmp.Or(c.Turns, usualTurns)
}

// Run measures both in turns, after one of each that does not count, and reports these units:
//
//	the units of both      operations a second
//	the ratio's            rate divided by floor
//	…-low, …-high          the quartiles of the ratio
//	…-cpu                  CPU of the floor divided by that of the rate, program and Postgres together
//	µs-program, µs-cluster CPU that one operation of the rate takes in this process and in Postgres
//	…-floor                the same of the floor
//
// All but the quartiles are medians. CPU is reported where the system tells it.
func (c Comparison) Run(b *testing.B) {
	b.Helper()
	var floors, rates, ratios series
	var cpu []float64
	for _, r := range []Rate{c.Floor, c.Rate} {
		c.turn(r) // connections prepare and plan their statements in it
	}
	for range c.turns() {
		var floor, rate turn
		both := []func(){
			func() { floor = c.turn(c.Floor) },
			func() { rate = c.turn(c.Rate) },
		}
		rand.Shuffle(len(both), func(i, j int) { both[i], both[j] = both[j], both[i] })
		for _, measure := range both {
			measure()
		}
		floors.add(floor)
		rates.add(rate)
		ratios.perSecond = append(ratios.perSecond, rate.perSecond/floor.perSecond)
		cpu = append(cpu, (floor.program+floor.cluster)/(rate.program+rate.cluster))
	}
	floors.report(b, c.Floor.Unit, "-floor")
	rates.report(b, c.Rate.Unit, "")
	b.ReportMetric(Quantile(ratios.perSecond, 0.25), c.Ratio+"-low")
	b.ReportMetric(Quantile(ratios.perSecond, 0.5), c.Ratio)
	b.ReportMetric(Quantile(ratios.perSecond, 0.75), c.Ratio+"-high")
	if c.Cluster != "" {
		b.ReportMetric(Quantile(cpu, 0.5), c.Ratio+"-cpu")
	}
	b.ReportMetric(0, "ns/op")
}

// turn is the result of one turn.
type turn struct{ perSecond, program, cluster float64 } // CPU in µs for each operation

func (c Comparison) turn(r Rate) turn {
	if r.Prepare != nil {
		r.Prepare()
	}
	program, cluster := OwnCPU(), ClusterCPU(c.Cluster)
	done := r.Turn()
	each := func(from, to time.Duration) float64 { return float64((to - from).Nanoseconds()) / 1000 / done.Done }
	return turn{done.PerSecond(), each(program, OwnCPU()), each(cluster, ClusterCPU(c.Cluster))}
}

// series is the results of all turns of a rate.
type series struct{ perSecond, program, cluster []float64 }

func (s *series) add(t turn) {
	s.perSecond = append(s.perSecond, t.perSecond)
	s.program = append(s.program, t.program)
	s.cluster = append(s.cluster, t.cluster)
}

func (s *series) report(b *testing.B, unit, suffix string) {
	b.Helper()
	b.ReportMetric(Quantile(s.perSecond, 0.5), unit)
	for of, values := range map[string][]float64{"µs-program": s.program, "µs-cluster": s.cluster} {
		if median := Quantile(values, 0.5); median > 0 {
			b.ReportMetric(median, of+suffix)
		}
	}
}

// Quantile returns a quantile of the values, interpolated if necessary. It sorts them.
func Quantile(of []float64, part float64) float64 {
	slices.Sort(of)
	at := part * float64(len(of)-1)
	below := int(at)
	above := min(below+1, len(of)-1)
	return of[below] + (at-float64(below))*(of[above]-of[below])
}

// During runs work in a number of workers for a while.
func During(b *testing.B, workers int, during time.Duration, do func(context.Context) error) Work {
	b.Helper()
	work, err := Repeat(b.Context(), workers, during, do)
	if err != nil {
		b.Error(err) // one of them is enough
	}
	return work
}

// Repeat runs work in a number of workers for a while. It returns the first error. A
// worker stops at an error.
func Repeat(ctx context.Context, workers int, during time.Duration, do func(context.Context) error) (Work, error) {
	var done atomic.Int64
	var group sync.WaitGroup
	failed := make(chan error, 1)
	watch := clock.Start()
	for range workers {
		group.Go(func() {
			for ; watch.Elapsed() < during; done.Add(1) {
				if err := do(ctx); err != nil {
					select {
					case failed <- err:
					default:
					}
					return
				}
			}
		})
	}
	group.Wait()
	work := Work{float64(done.Load()), watch.Elapsed()}
	select {
	case err := <-failed:
		return work, err
	default:
		return work, nil
	}
}
