package main_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// What docs/operate/plan-disks.md and scale-further.md assume of a practice.
const (
	visitsADay      = 80
	callsOfAVisit   = 8
	hooksOfAVisit   = 4 // one application receives them
	minutesOfDay    = 24 * 60
	minutesOpen     = 10 * 60
	minutesBetween  = 5 // two checkpoints of Postgres: its default
	daysOfYear      = 365
	daysOfHooks     = 30 // --delivery-retention
	daysOfLines     = 30 // MaxRetentionSec of the journal
	daysOfArchive   = 15 // 14 nightly backups are kept, and WAL since the oldest
	refusalsASecond = 50 // --rate-limit
	linesOfRepeats  = 11 // a minute
	secondsOfDay    = minutesOfDay * 60
	aSegment        = 16 << 20 // bytes of a file of WAL, however little is in it
	anEmptySegment  = 16_332   // bytes of it in the archive, which compresses it
	mostWAL         = 1e9      // max_wal_size
)

// The disks for which the page states the days.
const (
	dataDisk    = 100e9
	archiveDisk = 100e9
	walDisk     = 20e9
)

// sizesOfCell are the numbers of practices that the page has columns for.
var sizesOfCell = []int{1, 50, 500}

// growing is something on a disk that calls and webhooks add to.
type growing struct {
	name          string
	tables        []string // that it is the sum of
	call, webhook float64  // bytes
	after, until  float64  // the days at which bytes come and go; 0 is never
}

// daily is how many bytes a day of some practices adds.
func (g growing) daily(practices int) float64 {
	return float64(practices*visitsADay) * (callsOfAVisit*g.call + hooksOfAVisit*g.webhook)
}

// held is how many bytes there are after some days.
func (g growing) held(practices int, days float64) float64 {
	if g.until > 0 {
		days = min(days, g.until)
	}
	return g.daily(practices) * max(0, days-g.after)
}

// held is how many bytes there are of all after some days.
func held(all []growing, practices int, days float64) (bytes float64) {
	for _, g := range all {
		bytes += g.held(practices, days)
	}
	return bytes
}

// fullAfter is how many days it takes until that many bytes are held; infinite if none do.
func fullAfter(all []growing, practices int, bytes float64) float64 {
	const most = 1000 * daysOfYear
	if held(all, practices, most) < bytes {
		return math.Inf(1)
	}
	from, to := 0.0, float64(most)
	for to-from > 1e-3 {
		if middle := (from + to) / 2; held(all, practices, middle) < bytes {
			from = middle
		} else {
			to = middle
		}
	}
	return to
}

// flow is the write-ahead log of some practices.
type flow struct {
	visit float64 // bytes of a visit, with as many between two checkpoints as a day has
	idle  float64 // bytes a minute without calls
}

// between is how many visits some practices have between two checkpoints.
func between(practices int) int {
	return max(1, practices*visitsADay*minutesBetween/minutesOpen)
}

// daily is how many bytes Postgres writes for the visits of a day.
func (f flow) daily(practices int) float64 { return float64(practices*visitsADay) * f.visit }

// archived is how many bytes a day adds to an archive at most: everything that is written, as if
// it could not be compressed, and a compressed empty segment each minute, which
// archive_timeout = 60 can close.
func (f flow) archived(practices int) float64 {
	return f.daily(practices) + minutesOfDay*(f.idle+anEmptySegment)
}

// closed is how many bytes of whole segments a day closes at most, which Postgres keeps while
// the archive fails.
func (f flow) closed(practices int) float64 {
	open := float64(practices*visitsADay)*f.visit/minutesOpen + f.idle
	return minutesOpen*max(aSegment, open) + (minutesOfDay-minutesOpen)*max(aSegment, f.idle)
}

// bytesOf writes an amount with two or three digits, and its unit.
func bytesOf(bytes float64) string {
	units := []string{"B", "kB", "MB", "GB", "TB", "PB"}
	n := 0
	for ; bytes >= 999.5 && n < len(units)-1; n++ {
		bytes /= 1000
	}
	return short(bytes) + " " + units[n]
}

func short(value float64) string {
	switch {
	case value >= 99.95:
		return strconv.FormatFloat(value, 'f', 0, 64)
	case value == 0:
		return "0"
	default:
		return strconv.FormatFloat(value, 'f', max(0, 1-int(math.Floor(math.Log10(value)))), 64)
	}
}

// daysOf writes a time in the unit that it is long in.
func daysOf(days float64) string {
	switch {
	case math.IsInf(days, 1) || days > 100*daysOfYear:
		return "over 100 years"
	case days >= 2*daysOfYear:
		return short(days/daysOfYear) + " years"
	case days < 2:
		return short(days*24) + " hours"
	default:
		return short(days) + " days"
	}
}

// row writes a row of a table.
func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |" }

// Many practices fill what each of them does, time limits end the growth, and a disk is full
// when so much is held.
func TestADiskIsReckonedByPractice_D114(t *testing.T) {
	t.Parallel()
	all := []growing{
		{name: "kept", call: 100, webhook: 10},
		{name: "a day", call: 7, until: 1},
		{name: "moved after a month", webhook: 5, until: daysOfHooks},
		{name: "then", webhook: 2, after: daysOfHooks},
	}
	if got, want := all[0].daily(1), 80.0*(8*100+4*10); got != want {
		t.Errorf("a day of a practice is %.0f bytes, want %.0f", got, want)
	}
	for _, days := range []float64{0.5, 1, 29, 31, daysOfYear} {
		if got, want := held(all, 500, days), 500*held(all, 1, days); math.Abs(got-want) > 1e-6*want {
			t.Errorf("500 practices hold %.0f bytes after %.1f days, want 500 times as many as one: %.0f", got, days, want)
		}
	}
	for n, want := range []float64{daysOfYear, 1, daysOfHooks, daysOfYear - daysOfHooks} {
		if got := all[n].held(3, daysOfYear) / all[n].daily(3); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: a year holds %.2f days, want %.0f", all[n].name, got, want)
		}
	}
	days := fullAfter(all, 50, 1e9)
	if before, after := held(all, 50, days-0.01), held(all, 50, days); before >= 1e9 || after < 1e9 {
		t.Errorf("full after %.2f days, with %.0f bytes, and %.0f just before", days, after, before)
	}
	if days := fullAfter(all[1:2], 1, 1e9); !math.IsInf(days, 1) {
		t.Errorf("rows that are kept for a day fill a disk after %.0f days", days)
	}
}

// A quiet minute closes a whole segment, and a busy one as much as it writes. The archive has
// the written bytes, and little for the rest of a segment.
func TestAQuietMinuteClosesASegment_D114(t *testing.T) {
	t.Parallel()
	quiet := flow{visit: 50e3, idle: 1000}
	if got, want := quiet.closed(1), float64(minutesOfDay*aSegment); got != want {
		t.Errorf("a practice closes %.0f bytes a day, want %.0f", got, want)
	}
	if got, want := quiet.archived(1), 80*50e3+minutesOfDay*(1000+float64(anEmptySegment)); got != want {
		t.Errorf("a practice archives %.0f bytes a day, want %.0f", got, want)
	}
	busy := flow{visit: 50e3}
	if got, want := busy.closed(10_000), 800_000*50e3+840*aSegment; got != want {
		t.Errorf("10,000 practices close %.0f bytes a day, want %.0f", got, want)
	}
	for practices, want := range map[int]int{1: 1, 50: 33, 500: 333} {
		if got := between(practices); got != want {
			t.Errorf("%d practices have %d visits between checkpoints, want %d", practices, got, want)
		}
	}
	for value, want := range map[float64]string{0: "0 B", 37: "37 B", 1234: "1.2 kB", 999: "999 B", 24.16e9: "24 GB", 363.4e9: "363 GB"} {
		if got := bytesOf(value); got != want {
			t.Errorf("%g bytes are written %q, want %q", value, got, want)
		}
	}
	for value, want := range map[float64]string{0.5: "12 hours", 3.52: "3.5 days", 300: "300 days", 800: "2.2 years", math.Inf(1): "over 100 years"} {
		if got := daysOf(value); got != want {
			t.Errorf("%s, want %s", fmt.Sprint(value, " is written ", got), want)
		}
	}
}
