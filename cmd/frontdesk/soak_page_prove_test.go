//go:build prove

package main_test

import (
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The page and its table, and the tolerance of a row: a part of it, or an amount of disk that
// does not matter.
const (
	sizingPage    = "../../docs/operate/scale.md"
	sizingSection = "\n## What a day takes\n"
	mayBeOff      = 0.15
	tooLittle     = 0.15 // GB a day
)

// share is a row of the page: the size of a call, a webhook and a day, in kB and GB, and its
// tables.
type share struct {
	name               string
	tables             []string
	call, webhook, day float64
}

var (
	tableName = regexp.MustCompile("`([a-z_]+)`")
	amount    = regexp.MustCompile(`^[0-9.]+`)
)

// sizing reads the rows of the page.
func sizing(t *testing.T) (rows []share) {
	t.Helper()
	page, err := os.ReadFile(sizingPage)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), sizingSection)
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 || amount.FindString(strings.TrimSpace(cells[4])) == "" {
			continue
		}
		of := func(cell string) float64 {
			value, _ := strconv.ParseFloat(amount.FindString(strings.TrimSpace(cell)), 64) // an empty cell is 0
			return value
		}
		row := share{name: strings.TrimSpace(cells[1]), call: of(cells[2]), webhook: of(cells[3]), day: of(cells[4])}
		for _, name := range tableName.FindAllStringSubmatch(cells[1], -1) {
			row.tables = append(row.tables, name[1])
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		t.Fatalf("%s has no table below %q", sizingPage, sizingSection)
	}
	return rows
}

const day = 24 * time.Hour

// reckoned is the size of a day, in GB, by the figures for a call and a webhook.
func (s share) reckoned() float64 {
	return (s.call*soakCalls + s.webhook*soakWebhooks) * day.Seconds() / 1e6
}

// usedADay is how many GB a day at the pace of the run would take, by table, and under the
// names of rows that are no tables.
func (s *soak) usedADay() map[string]float64 {
	from, to := s.seen[len(s.seen)/6], s.seen[len(s.seen)-1] // when caches and pools have filled up
	days := float64(to.at.Sub(from.at)) / float64(day)
	used := map[string]float64{"write-ahead log": float64(to.wal-from.wal) / 1e9 / days}
	for name, bytes := range to.tables {
		used[name] = float64(bytes-from.tables[name]) / 1e9 / days
	}
	for msg, bytes := range to.log {
		used["lines of standard error"] += float64(bytes-from.log[msg]) / 1e9 / days
	}
	return used
}

// compareWithPage finds differences from the page.
func compareWithPage(t *testing.T, used map[string]float64) {
	t.Helper()
	left := maps.Clone(used)
	for _, row := range sizing(t) {
		names, measured := row.tables, 0.0
		if len(names) == 0 {
			names = []string{row.name}
		}
		for _, name := range names {
			if _, known := left[name]; !known {
				t.Errorf("%s: nothing is known of %q", row.name, name)
			}
			measured += used[name]
			delete(left, name)
		}
		t.Logf("%s: %.2f GB a day, but the page has %.2f", row.name, measured, row.day)
		if differ(row.reckoned(), row.day) {
			t.Errorf("%s: a call and a webhook make %.2f GB a day, not %.2f", row.name, row.reckoned(), row.day)
		}
		if differ(measured, row.day) {
			t.Errorf("%s: %.2f GB a day, but the page has %.2f", row.name, measured, row.day)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		if left[name] > tooLittle {
			t.Errorf("%s: %.2f GB a day, which the page lacks", name, left[name])
		}
	}
}

func differ(is, wanted float64) bool {
	return math.Abs(is-wanted) > max(mayBeOff*wanted, tooLittle)
}

// report describes the run.
func (s *soak) report(visits int) string {
	var lines []string
	say := func(format string, values ...any) { lines = append(lines, fmt.Sprintf(format, values...)) }
	say("%d visits, %d calls, %s at the median and %s at the 99th percentile", visits, len(s.took), spent(s.took, 0.5), spent(s.took, 0.99))
	for _, name := range s.names() {
		values := s.gauges[name].values
		third := len(values) / 3
		say("%s: %.4g, %.4g, %.4g in the thirds of the run, %.4g at most", name,
			medianOf(values[:third]), medianOf(values[third:2*third]), medianOf(values[2*third:]), slices.Max(values))
	}
	used := s.usedADay()
	for _, name := range slices.SortedFunc(maps.Keys(used), func(a, b string) int { return int(1e6 * (used[b] - used[a])) }) {
		if used[name] > 0.01 {
			say("%s: %.2f GB a day", name, used[name])
		}
	}
	for _, process := range s.served {
		for msg, n := range process.counts.lines {
			say("%d lines %q of %.0f bytes", n, msg, float64(process.counts.bytes[msg])/float64(n))
		}
	}
	return strings.Join(lines, "\n")
}

func (s *soak) names() []string { return slices.Sorted(maps.Keys(s.gauges)) }
