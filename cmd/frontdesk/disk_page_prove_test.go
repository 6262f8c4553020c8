//go:build prove

package main_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// portion is how many bytes one of some things has added.
type portion struct {
	wal, log float64
	tables   map[string]float64
}

func (a addition) each(of int) portion {
	p := portion{wal: float64(a.wal) / float64(of), tables: map[string]float64{}}
	for name, bytes := range a.tables {
		p.tables[name] = float64(bytes) / float64(of)
	}
	for _, bytes := range a.log {
		p.log += float64(bytes) / float64(of)
	}
	return p
}

// measured is what a run has found.
type measured struct {
	calls, visits, refused, moved portion // a call without webhooks, a visit with those of ten receivers, a refused call, a webhook
	visit                         map[int]float64
	idle, repeated                float64
}

func (m measured) flow(practices int) flow {
	return flow{visit: m.visit[practices], idle: m.idle}
}

// webhook is the part of a visit that is no call's, for each of its webhooks.
func (m measured) webhook(visit, call float64) float64 {
	return max(0, visit-callsOfAVisit*call) / (hooksOfAVisit * diskReceivers)
}

// maySway is how much of an amount may differ between the page and a run: few visits are measured,
// on tables of few pages.
const maySway = 0.3

// Tables of a short run have few pages, so a small table differs by much of itself: that part
// of the sum of all tables may differ, too.
const maySwayOfSum = 0.05

const (
	ofAccess    = "access record"
	sumOfTables = "**all tables**"
)

// growing are the rows of the tables.
func (m measured) growing(t *testing.T) (all []growing) {
	t.Helper()
	all = []growing{
		{name: "events and their log", tables: []string{"events", "log"}},
		{name: "read models", tables: []string{"timeline", "record_entries", "inbox", "appointments"}},
		{name: "trees of proofs", tables: []string{"tree_tiles", "tree_tail"}},
		{name: "keys of personal data", tables: []string{"personal_keys"}},
		{name: ofAccess, tables: []string{"access_record", "access_log"}},
		{name: "answers of calls with a key, for 24 hours", tables: []string{"answers"}, until: 1},
		{name: "webhooks, for 30 days", tables: []string{"deliveries"}, until: daysOfHooks},
		{name: "webhooks, after that", tables: []string{"delivered"}, after: daysOfHooks},
	}
	left := maps.Clone(m.calls.tables)
	for n := range all {
		g := &all[n]
		for _, table := range g.tables {
			g.call += m.calls.tables[table]
			delete(left, table)
		}
	}
	all[6].webhook, all[7].webhook = m.visits.tables["deliveries"]/(hooksOfAVisit*diskReceivers), m.moved.tables["delivered"]
	for table, bytes := range left {
		if bytes > 10 {
			t.Errorf("%s: %.0f bytes a call, which have no row", table, bytes)
		}
	}
	return all
}

// page is the tables of the page.
func (m measured) page(t *testing.T) string {
	t.Helper()
	all := m.growing(t)
	lines := growing{name: "lines of standard error, for 30 days", call: m.calls.log, webhook: m.webhook(m.visits.log, m.calls.log), until: daysOfLines}
	out := []string{row("", "a call", "a webhook", "a refused call"), "|---|---|---|---|"}
	one := func(g growing, refused float64) {
		name := g.name
		if len(g.tables) > 0 {
			name += " (`" + strings.Join(g.tables, "`, `") + "`)"
		}
		out = append(out, row(name, orEmpty(g.call), orEmpty(g.webhook), orEmpty(refused)))
	}
	for _, g := range all {
		refused := 0.0
		if g.name == ofAccess {
			refused = m.refused.tables["access_record"] + m.refused.tables["access_log"]
		}
		one(g, refused)
	}
	sum := growing{name: sumOfTables}
	for _, g := range all {
		sum.call, sum.webhook = sum.call+g.call, sum.webhook+g.webhook
	}
	one(sum, m.refused.tables["access_record"]+m.refused.tables["access_log"])
	one(growing{name: "write-ahead log", call: m.calls.wal, webhook: m.webhook(m.visits.wal, m.calls.wal)}, m.refused.wal)
	one(lines, m.refused.log)
	return strings.Join(append(out, "", m.daily(all, lines), "", m.disks(t, all)), "\n")
}

func orEmpty(bytes float64) string {
	if bytes < 1 {
		return ""
	}
	return bytesOf(bytes)
}

// daily is the table of days and years.
func (m measured) daily(all []growing, lines growing) string {
	head, rule := []string{""}, "|---|"
	for _, practices := range sizesOfCell {
		head, rule = append(head, many(practices)+", a day", "in a year"), rule+"---|---|"
	}
	out := []string{row(head...), rule}
	add := func(name string, of func(practices int) (daily, yearly float64)) {
		cells := []string{name}
		for _, practices := range sizesOfCell {
			daily, yearly := of(practices)
			cells = append(cells, orEmpty(daily), orEmpty(yearly))
		}
		out = append(out, row(cells...))
	}
	of := func(some ...growing) func(int) (float64, float64) {
		return func(practices int) (daily, yearly float64) {
			return held(some, practices, 1), held(some, practices, daysOfYear)
		}
	}
	for _, g := range all {
		add(g.name, of(g))
	}
	add(sumOfTables, of(all...))
	add(lines.name, of(lines))
	add("write-ahead log of visits, which Postgres deletes", func(practices int) (float64, float64) { return m.flow(practices).daily(practices), mostWAL })
	add("its archive at most, since the oldest of 14 backups", func(practices int) (float64, float64) {
		daily := m.flow(practices).archived(practices)
		return daily, daily * daysOfArchive
	})
	return strings.Join(out, "\n")
}

func many(practices int) string {
	if practices == 1 {
		return "1 practice"
	}
	return strconv.Itoa(practices) + " practices"
}

// disks is the table of full disks.
func (m measured) disks(t *testing.T, all []growing) string {
	t.Helper()
	soon, full := leftAt(t, "DiskFills"), leftAt(t, "DiskIsFull")
	leftAt(t, "ArchiveFails")
	out := []string{row("disk", many(sizesOfCell[0]), many(sizesOfCell[1]), many(sizesOfCell[2]), "first alert"), "|---|---|---|---|---|"}
	add := func(name, alert string, of func(practices int) float64) {
		cells := []string{name}
		for _, practices := range sizesOfCell {
			cells = append(cells, daysOf(of(practices)))
		}
		out = append(out, row(append(cells, alert)...))
	}
	archive := func(of float64) func(int) float64 {
		return func(practices int) float64 { return of * archiveDisk / m.flow(practices).archived(practices) }
	}
	tables := func(of float64) func(int) float64 {
		return func(practices int) float64 { return fullAfter(all, practices, of*dataDisk) }
	}
	const fills, isFull = "`DiskFills`", "`DiskIsFull`"
	add("20 GB for WAL, full while the archive fails", "`ArchiveFails`", func(practices int) float64 {
		return (walDisk - mostWAL) / m.flow(practices).closed(practices)
	})
	add("100 GB for the archive, if nothing prunes it, 85 % full", fills, archive(1-soon))
	add("95 %", isFull, archive(1-full))
	add("full", "", archive(1))
	add("100 GB for the tables, 85 % full", fills, tables(1-soon))
	add("95 %", isFull, tables(1-full))
	add("full", "", tables(1))
	refused := []growing{{call: m.refused.tables["access_record"] + m.refused.tables["access_log"]}}
	each := refusalsASecond * secondsOfDay * refused[0].call
	equal := linesOfRepeats * minutesOfDay * refused[0].call
	out = append(out,
		"", row("one program refused 50 times a second", "a day", "100 GB are full after"), "|---|---|---|",
		row("access record, each refusal differs", bytesOf(each), daysOf(dataDisk/each)),
		row("access record, all are equal", bytesOf(equal), daysOf(dataDisk/equal)),
		row("lines of standard error", bytesOf(refusalsASecond*secondsOfDay*m.refused.log), ""),
		"", "lines for each of the equal refusals: "+strconv.FormatFloat(m.repeated, 'f', 3, 64)+
			", a quiet minute writes "+bytesOf(m.idle)+", a visit of 1, 50 and 500 practices writes "+
			bytesOf(m.visit[1])+", "+bytesOf(m.visit[50])+" and "+bytesOf(m.visit[500]))
	return strings.Join(out, "\n")
}

var threshold = regexp.MustCompile(`< ([0-9.]+)`)

// leftAt is the part of a disk that is free when an alert fires; 0 if it is about no disk.
func leftAt(t *testing.T, alert string) float64 {
	t.Helper()
	text, err := os.ReadFile("../../docs/operate/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, rule, found := strings.Cut(string(text), "- alert: "+alert+"\n")
	if !found {
		_, rule, found = strings.Cut(string(text), "- alert: "+alert+" #")
	}
	if !found {
		t.Fatalf("alerts.yaml has no %s", alert)
	}
	rule, _, _ = strings.Cut(rule, "- alert:")
	match := threshold.FindStringSubmatch(rule)
	if match == nil {
		return 0
	}
	value, err := strconv.ParseFloat(match[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// comparePage compares the tables with those of the page, cell by cell.
func comparePage(t *testing.T, printed string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/operate/plan-disks.md")
	if err != nil {
		t.Fatal(err)
	}
	stated, now := cellsOf(string(page)), cellsOf(printed)
	for _, name := range slices.Sorted(maps.Keys(now)) {
		have, known := stated[name]
		if !known {
			t.Errorf("the page lacks %s", name)
		} else if _, column, _ := strings.Cut(name, ": "); !near(have, now[name], now[sumOfTables+": "+column]) {
			t.Errorf("%s: the page has %q, but the run %q", name, have, now[name])
		}
	}
	for name := range stated {
		if _, known := now[name]; !known {
			t.Errorf("the page has %s, which no run prints", name)
		}
	}
}

// cellsOf are the cells of tables, by the names of their rows and columns. Rows that have the
// same name follow each other.
func cellsOf(text string) map[string]string {
	cells, head := map[string]string{}, []string(nil)
	last := ""
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		switch {
		case !strings.HasPrefix(line, "|"):
			head = nil
		case strings.HasPrefix(line, "|---"):
		case head == nil:
			head = fields
		default:
			name := strings.TrimSpace(fields[0])
			if strings.HasSuffix(name, "85 % full") {
				last = name
			} else if name == "95 %" || name == "full" {
				name = last + ", " + name
			}
			for n, field := range fields[1:] {
				cells[name+": "+strings.TrimSpace(head[n+1])+" "+strconv.Itoa(n)] = strings.TrimSpace(field)
			}
		}
	}
	return cells
}

var scales = map[string]float64{"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "hours": 1, "days": 24, "years": 24 * daysOfYear}

// near reports whether two cells are the same, or amounts that differ little, or little of the
// sum of their column.
func near(have, now, sum string) bool {
	value := func(cell string) (float64, bool) {
		number, unit, _ := strings.Cut(cell, " ")
		amount, err := strconv.ParseFloat(number, 64)
		return amount * scales[unit], err == nil && scales[unit] > 0
	}
	a, known := value(have)
	b, both := value(now)
	if !known || !both {
		return have == now
	}
	all, _ := value(sum) // 0 in a column without one
	return max(a, b)-min(a, b) <= max(maySway*max(a, b), maySwayOfSum*all)
}
