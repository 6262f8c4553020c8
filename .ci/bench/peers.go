package main

import (
	"fmt"
	"slices"
	"strings"
)

// peers is the table of the benchmark that compares peers: a row for each operation, a column for
// each peer. A missing value is a dash.
func (o output) peers() string {
	var tasks, names []string
	cells := map[[2]string]string{}
	for _, r := range o.results {
		if r.name[0] != peersName || len(r.name) != 3 {
			continue
		}
		task, name := r.name[1], r.name[2]
		tasks, names = adjoin(tasks, task), adjoin(names, name)
		cells[[2]string{task, name}] = r.cell()
	}
	if len(tasks) == 0 {
		return ""
	}
	rows := [][]string{append([]string{""}, names...)}
	for _, task := range tasks {
		row := []string{task}
		for _, name := range names {
			cell, ok := cells[[2]string{task, name}]
			if !ok {
				cell = "–"
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	text := "Beside peers: events a second (quartiles) or the lag in ms; then the CPU of program + Postgres for one event, in µs.\n\n" + markdown(rows)
	for _, note := range o.notes {
		text += "\n- " + note
	}
	return strings.TrimSuffix(text, "\n") + "\n"
}

func (r result) cell() string {
	m := r.metrics
	shown := fmt.Sprintf("p50 %s, p99 %s", number(m["p50-ms"]), number(m["p99-ms"]))
	if rate, ok := m["events/s"]; ok {
		shown = fmt.Sprintf("%s (%s–%s)", number(rate), number(m["events/s-low"]), number(m["events/s-high"]))
	}
	return fmt.Sprintf("%s; %s + %s", shown, number(m["µs-program"]), number(m["µs-cluster"]))
}

func adjoin(to []string, s string) []string {
	if slices.Contains(to, s) {
		return to
	}
	return append(to, s)
}
