package main

import (
	"fmt"
	"slices"
)

// A row is one figure, as it is printed.
type row struct{ name, value string }

func (h *house) rows() []row {
	lines := sum(h.files)
	return []row{
		{"files", fmt.Sprint(len(h.files))},
		{"lines", fmt.Sprint(lines)},
		{"lines a file: median", rank(h.files, 50)},
		{"lines a file: p90", rank(h.files, 90)},
		{"lines a file: p95", rank(h.files, 95)},
		{"files under 40 lines", count(h.files, func(n int) bool { return n < 40 })},
		{"files over 250 lines", count(h.files, func(n int) bool { return n > 250 })},
		{"package and import headers", percent(h.headers, lines)},
		{"functions", fmt.Sprint(len(h.functions))},
		{"lines a function: median", rank(h.functions, 50)},
		{"lines a function: p90", rank(h.functions, 90)},
		{"lines a function: p95", rank(h.functions, 95)},
		{"lines a function: longest", rank(h.functions, 100)},
		{"packages", fmt.Sprint(len(h.packages))},
		{"files a package", fmt.Sprintf("%.1f", float64(len(h.files))/float64(len(h.packages)))},
		{"exported names", fmt.Sprint(h.exported)},
		{"of these, documented", percent(h.documented, h.exported)},
		{"blocks under if err == nil", fmt.Sprint(h.nilBlocks)},
		{"codes of decisions in comments", fmt.Sprint(h.codes)},
		{"files with such codes", fmt.Sprint(h.filesCodes)},
	}
}

func sum(lengths []int) int {
	total := 0
	for _, n := range lengths {
		total += n
	}
	return total
}

func count(lengths []int, in func(int) bool) string {
	matching := 0
	for _, n := range lengths {
		if in(n) {
			matching++
		}
	}
	return fmt.Sprint(matching)
}

// rank is the smallest length that this share of all lengths does not exceed.
func rank(lengths []int, share int) string {
	if len(lengths) == 0 {
		return "0"
	}
	sorted := slices.Sorted(slices.Values(lengths))
	return fmt.Sprint(sorted[(share*len(sorted)+99)/100-1])
}

func percent(part, whole int) string {
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(max(whole, 1)))
}
