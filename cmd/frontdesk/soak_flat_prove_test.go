//go:build prove

package main_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/provetest"
)

// gauge is something that must not grow for as long as the load is the same.
type gauge struct {
	play   float64 // natural variation, in addition to mayDiffer of it
	most   float64 // the limit that it may never reach
	values []float64
}

// How much a gauge may exceed its value in the second third of a run in the last third, as a
// part of it; and how far the extrapolation reaches, in runs: for a run of an hour it is a
// day.
const (
	mayDiffer  = 0.05
	timesAsFar = 24
)

// swollen describes the growth of a gauge; "" for none. The first third is left to caches,
// pools and everything else that fills up once.
func (g gauge) swollen() string {
	third := len(g.values) / 3
	before, after := medianOf(g.values[third:2*third]), medianOf(g.values[2*third:])
	if after > before*(1+mayDiffer)+g.play {
		return fmt.Sprintf("has grown from %.4g to %.4g", before, after)
	}
	if far := after + slope(g.values[third:])*float64(len(g.values))*timesAsFar; far > g.most {
		return fmt.Sprintf("is %.4g, and would be %.4g if this went on %d times as long, beyond %.4g", after, far, timesAsFar, g.most)
	}
	return ""
}

func medianOf(values []float64) float64 { return benchtest.Quantile(slices.Clone(values), 0.5) }

// slope is by how much values grow from one to the next: the median of the slopes between
// any two, which no single one can bend (Theil and Sen).
func slope(values []float64) float64 {
	var slopes []float64
	for n, from := range values {
		for m, to := range values[n+1:] {
			slopes = append(slopes, (to-from)/float64(m+1))
		}
	}
	return medianOf(slopes)
}

func TestProveThatALeakIsSeen_D114(t *testing.T) {
	t.Parallel()
	rough := []float64{0, 3, -2, 1, -3, 2, 0, -1}
	run := func(of func(n int) float64) gauge {
		g := gauge{most: 250}
		for n := range 360 {
			g.values = append(g.values, of(n)+rough[n%len(rough)])
		}
		return g
	}
	for name, tt := range map[string]struct {
		gauge gauge
		want  string
	}{
		"constant is flat":            {run(func(int) float64 { return 100 }), ""},
		"filling up at first is flat": {run(func(n int) float64 { return 100 + float64(min(n, 110)) }), ""},
		"a leak is found":             {run(func(n int) float64 { return 100 + float64(n)/10 }), "has grown"},
		"a slow leak is extrapolated": {run(func(n int) float64 { return 100 + float64(n)/50 }), "would be"},
		"a late jump is found":        {run(func(n int) float64 { return 100 + 20*float64(n/250) }), "has grown"},
	} {
		if got := tt.gauge.swollen(); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		provetest.Tried(t, 1, "runs")
	}
}
