//go:build prove

package main_test

import (
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The limits. Honest callers wait at most this long, or twice as long as at rest, and the
// program has at most this resident memory. Waiting is reported and not judged: it depends on
// the machine as much as on the program.
const (
	alwaysFast   = 50 * time.Millisecond
	mostBesieged = 512 << 20
)

// figures are how honest callers fared for a while.
type figures struct {
	open  sync.WaitGroup // attempts that have begun and not ended
	mu    sync.Mutex
	kinds map[string]*kind
}

// kind is one kind of attempt.
type kind struct {
	took   []time.Duration
	failed map[string]int // by their answers
}

func newFigures() *figures {
	f := &figures{kinds: map[string]*kind{}}
	for _, name := range kindsOfUse {
		f.kinds[name] = &kind{failed: map[string]int{}}
	}
	return f
}

func (f *figures) note(name string, took time.Duration, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.kinds[name]
	k.took = append(k.took, took)
	if err != nil {
		k.failed[reason(err)]++
	}
}

// reason is an error without the addresses that make each one another.
func reason(err error) string {
	if failure, ok := errors.AsType[net.Error](err); ok && failure.Timeout() {
		return "no answer"
	}
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	return err.Error()
}

// p is a percentile of how long it took.
func (k *kind) p(percent float64) time.Duration {
	if len(k.took) == 0 {
		return 0
	}
	slices.Sort(k.took)
	return k.took[int(math.Ceil(percent/100*float64(len(k.took))))-1]
}

// outcome is the result of an attack.
type outcome struct {
	name         string
	rest, during *figures
	resident     int64 // at most, in bytes
	tally        tally
}

// kindsOfUse are the columns of the table, and are judged one by one.
var kindsOfUse = []string{"calls", "pages", "sign-ins"}

var tableHead = "| attack | " + strings.Join(kindsOfUse, " p50/p99, rest → attacked (ms) | ") + " p50/p99, rest → attacked (ms) | failed | RSS peak | the attacker |\n" +
	"|---|" + strings.Repeat("---|", len(kindsOfUse)+3)

// row is the outcome as a row of the table.
func (o outcome) row() string {
	row, failed, all := "| "+o.name, 0, 0
	var how []string
	for _, name := range kindsOfUse {
		rest, during := o.rest.kinds[name], o.during.kinds[name]
		row += fmt.Sprintf(" | %s → %s%s", percentiles(rest), percentiles(during), beyond(rest, during))
		all += len(during.took)
		for what, n := range during.failed {
			failed += n
			how = append(how, fmt.Sprintf("%s: %d × %s", name, n, what))
		}
	}
	slices.Sort(how)
	detail := ""
	if failed > 0 {
		detail = " (" + strings.Join(how, ", ") + ")"
	}
	return fmt.Sprintf("%s | %d of %d%s | %d MiB | %s |", row, failed, all, detail, o.resident>>20, o.tally)
}

func percentiles(k *kind) string {
	return fmt.Sprintf("%.1f/%.0f", milliseconds(k.p(50)), milliseconds(k.p(99)))
}

// beyond marks those who waited longer than the bar allows.
func beyond(rest, during *kind) string {
	if during.p(99) > max(2*rest.p(99), alwaysFast) {
		return " (!)"
	}
	return ""
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// judge fails if an honest caller was refused, or the program took too much memory.
func (o outcome) judge(t *testing.T) {
	t.Helper()
	for _, name := range kindsOfUse {
		rest, during := o.rest.kinds[name], o.during.kinds[name]
		for what, n := range rest.failed {
			t.Errorf("%s failed at rest: %d × %s", name, n, what)
		}
		for what, n := range during.failed {
			t.Errorf("%s failed: %d × %s, of %d", name, n, what, len(during.took))
		}
	}
	if o.resident > mostBesieged {
		t.Errorf("the program had %d MiB resident, want at most %d", o.resident>>20, mostBesieged>>20)
	}
}
