package main

import (
	"math"
	"runtime/debug"
	"testing"
)

func TestCollectorIsSetUnlessTheOperatorSetsIt(t *testing.T) { //nolint:paralleltest // it sets the collector of this process
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetGCPercent(percent)
	defer debug.SetMemoryLimit(limit)
	for name, c := range map[string]struct {
		environment map[string]string
		percent     int
		limit       int64
	}{
		"nothing is set":   {nil, mayGrowBy, mayHold},
		"GOMEMLIMIT is":    {map[string]string{"GOMEMLIMIT": "1GiB"}, mayGrowBy, math.MaxInt64},
		"GOGC is":          {map[string]string{"GOGC": "100"}, 100, math.MaxInt64},
		"GOGC is, as none": {map[string]string{"GOGC": "off", "GOMEMLIMIT": "1GiB"}, 100, math.MaxInt64},
	} {
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(math.MaxInt64)
		collectSeldom(func(name string) string { return c.environment[name] })
		if percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1); percent != c.percent || limit != c.limit {
			t.Errorf("%s: %d %% and %d bytes, want %d and %d", name, percent, limit, c.percent, c.limit)
		}
	}
}
