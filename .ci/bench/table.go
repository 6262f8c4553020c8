package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

const peersName = "Peers" // of the benchmark that has a table of its own

// table has a row for each benchmark.
func (o output) table() string {
	rows := [][]string{{"benchmark", "shows", "of its floor", "by CPU", "CPU of program, µs", "of Postgres, µs", "else"}}
	first := result{name: []string{""}}
	for _, r := range o.results {
		if r.name[0] == peersName {
			continue
		}
		if r.name[0] != first.name[0] {
			first = r
		}
		rows = append(rows, r.row(first))
	}
	if len(rows) == 1 {
		return ""
	}
	return "CPU is for one operation, that of the floor in brackets.\n\n" + markdown(rows) + "\n"
}

// row adds the units one by one. A benchmark with only a time is compared with the first of its
// group.
func (r result) row(first result) []string {
	left := maps.Clone(r.metrics)
	shows, ratio := r.rates(left), r.ratio(left)
	if each := left["ns/op"]; each > 0 {
		shows = append([]string{time.Duration(each).String() + " each"}, shows...)
		if floor := first.metrics["ns/op"]; floor > 0 && ratio == "" && !slices.Equal(r.name, first.name) {
			ratio = fmt.Sprintf("%.2f × %s", each/floor, strings.Join(first.name[1:], ", "))
		}
	}
	delete(left, "ns/op")
	row := []string{strings.Join(r.name, ": "), strings.Join(shows, ", "), ratio, ratioOfCPU(left), cpuOf(left, "µs-program"), cpuOf(left, "µs-cluster")}
	var others []string
	for _, unit := range slices.Sorted(maps.Keys(left)) {
		others = append(others, number(left[unit])+" "+unit)
	}
	return append(row, strings.Join(others, ", "))
}

func (r result) rates(left map[string]float64) (rates []string) {
	for _, unit := range slices.Sorted(maps.Keys(r.metrics)) {
		if strings.HasSuffix(unit, "/s") {
			rates = append(rates, number(r.metrics[unit])+" "+unit)
			delete(left, unit)
		}
	}
	return rates
}

// ratio is the median with its quartiles.
func (r result) ratio(left map[string]float64) string {
	for unit, median := range r.metrics {
		low, spread := r.metrics[unit+"-low"]
		if !spread || !strings.HasPrefix(unit, "of-") {
			continue
		}
		text := fmt.Sprintf("%.2f %s (%.2f–%.2f)", median, strings.ReplaceAll(unit, "-", " "), low, r.metrics[unit+"-high"])
		for _, suffix := range []string{"", "-low", "-high"} {
			delete(left, unit+suffix)
		}
		return text
	}
	return ""
}

// ratioOfCPU is the CPU of the floor divided by that of the rate.
func ratioOfCPU(left map[string]float64) string {
	for unit, ratio := range left {
		if strings.HasPrefix(unit, "of-") && strings.HasSuffix(unit, "-cpu") {
			delete(left, unit)
			return fmt.Sprintf("%.2f", ratio)
		}
	}
	return ""
}

func cpuOf(left map[string]float64, unit string) string {
	used, known := left[unit]
	floor, compared := left[unit+"-floor"]
	delete(left, unit)
	delete(left, unit+"-floor")
	switch {
	case !known:
		return ""
	case !compared:
		return number(used)
	}
	return fmt.Sprintf("%s (%s)", number(used), number(floor))
}

func number(v float64) string {
	switch {
	case v >= 1000:
		return fmt.Sprintf("%d,%03d", int(v+0.5)/1000, int(v+0.5)%1000)
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// markdown makes columns as wide as their widest cell; the first row is the heading.
func markdown(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for n, cell := range row {
			widths[n] = max(widths[n], len([]rune(cell)))
		}
	}
	line := func(cells []string) string {
		var b strings.Builder
		for n, cell := range cells {
			fmt.Fprintf(&b, "| %s%s ", cell, strings.Repeat(" ", widths[n]-len([]rune(cell))))
		}
		return b.String() + "|\n"
	}
	rule := make([]string, len(widths))
	for n, width := range widths {
		rule[n] = strings.Repeat("-", width)
	}
	text := line(rows[0]) + line(rule)
	for _, row := range rows[1:] {
		text += line(row)
	}
	return text
}
