package main

import (
	"fmt"
	"maps"
	"slices"
)

// A row is one printed figure.
type row struct{ name, value string }

func (h *house) rows() []row {
	lines := sum(h.files)
	events := h.naming()
	return []row{
		{"files", fmt.Sprint(len(h.files))},
		{"lines", fmt.Sprint(lines)},
		{"lines a file: median", rank(h.files, 50)},
		{"lines a file: p90", rank(h.files, 90)},
		{"lines a file: p95", rank(h.files, 95)},
		{"files under 40 lines", count(h.files, func(n int) bool { return n < 40 })},
		{"files over 400 lines", count(h.files, func(n int) bool { return n > 400 })},
		{"package and import headers", percent(h.headers, lines)},
		{"functions in 1,000 lines", fmt.Sprintf("%.1f", 1000*float64(len(h.functions))/float64(max(lines, 1)))},
		{"lines a function: median", rank(h.functions, 50)},
		{"lines a function: p90", rank(h.functions, 90)},
		{"lines a function: p95", rank(h.functions, 95)},
		{"lines a function: longest", rank(h.functions, 100)},
		{"functions over 60 lines", count(h.functions, func(n int) bool { return n > 60 })},
		{"packages", fmt.Sprint(len(h.packages))},
		{"most lines in a package", h.most(func(s *size) int { return s.lines })},
		{"most files in a package", h.most(func(s *size) int { return s.files })},
		{"exported names", fmt.Sprint(h.exported)},
		{"of these, documented", percent(h.documented, h.exported)},
		{"blocks under if err == nil", fmt.Sprint(h.nilBlocks)},
		{"codes of decisions in comments", fmt.Sprint(h.codes)},
		{"files with such codes", fmt.Sprint(h.filesCodes)},
		{"in 1,000 words of comment: what", h.comments.perThousand(h.comments.what)},
		{"  nobody/somebody/whoever/…", h.comments.perThousand(h.comments.nobody)},
		{"  say/says/told/tell/tells", h.comments.perThousand(h.comments.say)},
		{"tests", fmt.Sprint(h.tests.all)},
		{"tests named Who…, What…", percent(h.tests.storied, h.tests.all)},
		{"files that name an event: median", median(events)},
		{"files that name an event: most", rank(events, 100)},
	}
}

// most names the package with the largest size, the first of several.
func (h *house) most(of func(*size) int) string {
	largest := ""
	for _, folder := range slices.Sorted(maps.Keys(h.packages)) {
		if largest == "" || of(h.packages[folder]) > of(h.packages[largest]) {
			largest = folder
		}
	}
	if largest == "" {
		return "none"
	}
	return fmt.Sprintf("%s %d", largest, of(h.packages[largest]))
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
