//go:build prove

package main_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// rightsTally counts the results of calls, acts and processes.
type rightsTally struct {
	mu       sync.Mutex
	counts   map[string]int
	checking time.Duration
	samples  []answeredBefore
}

func (y *rightsTally) add(what string) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.counts[what]++
}

func (y *rightsTally) checked(took time.Duration) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.checking += took
}

func (y *rightsTally) sampled(was answeredBefore) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.samples = append(y.samples, was)
}

// known is how many operations have a known ending.
func (y *rightsTally) known() (n int) {
	y.mu.Lock()
	defer y.mu.Unlock()
	for what, count := range y.counts {
		who, how, _ := strings.Cut(what, ": ")
		if who != "process" && !slices.Contains([]string{string(unknown), errNotThere.Error(), errNoAnswer.Error(), errNotJudged.Error()}, how) {
			n += count
		}
	}
	return n
}

// wants fails t unless all this has happened.
func (y *rightsTally) wants(t *testing.T, all ...string) {
	t.Helper()
	for _, what := range all {
		if y.counts[what] == 0 {
			t.Errorf("not once: %s", what)
		}
	}
}

// anyEnded reports whether an operation of any kind has ended like this.
func (y *rightsTally) anyEnded(how ending) bool {
	for what := range y.counts {
		if strings.HasSuffix(what, ": "+string(how)) {
			return true
		}
	}
	return false
}

// String is a line for each kind.
func (y *rightsTally) String() string {
	y.mu.Lock()
	defer y.mu.Unlock()
	var text strings.Builder
	for _, what := range slices.Sorted(maps.Keys(y.counts)) {
		fmt.Fprintf(&text, "%7d %s\n", y.counts[what], what)
	}
	fmt.Fprintf(&text, "%7s to check", y.checking.Round(time.Millisecond))
	return text.String()
}
