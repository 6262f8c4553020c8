package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// result is the result of one benchmark. Its name has a part for each level.
type result struct {
	name    []string
	metrics map[string]float64 // by unit
}

// output is the relevant output of go test -bench.
type output struct {
	cpu     string
	notes   []string // lines of a benchmark after "note: "
	results []result
}

// read reads to the end. Names of benchmarks end with the number of threads, if it is not 1.
func read(in io.Reader, threads int) (found output, err error) {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := lines.Text()
		switch key, value, _ := strings.Cut(line, ": "); key {
		case "cpu":
			found.cpu = value
		case "note":
			found.notes = append(found.notes, value)
		default:
			if r, ok := resultOf(line, threads); ok {
				found.results = append(found.results, r)
			}
		}
	}
	return found, lines.Err()
}

// resultOf parses a line such as "BenchmarkA/b_c-4  100  12.5 ns/op  3 events/s".
func resultOf(line string, threads int) (result, bool) {
	fields := strings.Fields(line)
	if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
		return result{}, false
	}
	name := strings.TrimPrefix(fields[0], "Benchmark")
	if threads > 1 {
		name = strings.TrimSuffix(name, fmt.Sprintf("-%d", threads))
	}
	r := result{strings.Split(strings.ReplaceAll(name, "_", " "), "/"), map[string]float64{}}
	for n := 2; n+1 < len(fields); n += 2 {
		value, err := strconv.ParseFloat(fields[n], 64)
		if err != nil {
			return result{}, false
		}
		r.metrics[fields[n+1]] = value
	}
	return r, true
}
