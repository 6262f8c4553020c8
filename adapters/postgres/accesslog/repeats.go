package accesslog

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
)

// Equal refusals of an application that come within a minute share a line, after the first
// few. A program that repeats a refused call would otherwise fill the access record (D173).
const (
	ownLines        = 10          // refusals of a run that have their own line
	runTime         = time.Minute // after the first refusal, the run ends
	maxRuns         = 4096
	maxRunsOfCaller = 32 // of one application
)

// repeats counts equal refusals. It is safe for concurrent use, and bounded in memory: a
// refusal beyond its bounds has its own line.
type repeats struct {
	mu       sync.Mutex
	runs     map[refusal]*run
	byCaller map[application.ID]int // runs of each application
	ended    bool
}

// refusal is a digest of the values that are the same for equal refusals.
type refusal [sha256.Size]byte

// run is a series of equal refusals.
type run struct {
	by     application.ID
	watch  clock.Stopwatch // since its first refusal
	lines  int             // of refusals that have their own
	folded int             // refusals without a line
	last   access.Call     // of the folded ones; zero without any
}

// fold counts a refusal. It reports false if the call needs its own line.
func (f *repeats) fold(c access.Call) bool {
	if c.Looked() || c.Status < 400 || c.Status >= 500 {
		return false
	}
	key := refusalOf(c)
	f.mu.Lock()
	defer f.mu.Unlock()
	known := f.runs[key]
	switch {
	case f.ended:
		return false
	case known == nil:
		f.begin(key, c.Application)
		return false
	case known.lines < ownLines:
		known.lines++
		return false
	}
	known.folded, known.last = known.folded+1, c
	return true
}

func (f *repeats) begin(key refusal, by application.ID) {
	if len(f.runs) >= maxRuns || f.byCaller[by] >= maxRunsOfCaller {
		return
	}
	if f.runs == nil {
		f.runs, f.byCaller = map[refusal]*run{}, map[application.ID]int{}
	}
	f.runs[key] = &run{by: by, watch: clock.Start(), lines: 1}
	f.byCaller[by]++
}

// due removes the runs whose time is over, or all of them, and returns their lines. After
// all were removed, each refusal has its own line.
func (f *repeats) due(all bool) (lines []access.Call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = f.ended || all
	for key, r := range f.runs {
		if !all && r.watch.Elapsed() < runTime {
			continue
		}
		delete(f.runs, key)
		if f.byCaller[r.by]--; f.byCaller[r.by] == 0 {
			delete(f.byCaller, r.by)
		}
		if r.folded > 0 {
			r.last.Repeats = r.folded - 1
			lines = append(lines, r.last)
		}
	}
	slices.SortFunc(lines, func(a, b access.Call) int { return slices.Compare(a.RequestID[:], b.RequestID[:]) })
	return lines
}

// refusalOf returns the digest of a call without its time, duration, request id and token.
func refusalOf(c access.Call) refusal {
	further, _ := json.Marshal(c.Further) // cannot fail: it holds only strings
	act, _ := json.Marshal(c.Act)         // likewise
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %s %q %s %q %s %d %q %q %x %t %q %s ", c.Tenant, c.Application, c.Mode, c.Staff, c.Endpoint, c.Patient, c.Status, c.Code, c.Reason, c.Key, c.Replayed, c.Agent, further)
	sum.Write(act)
	return refusal(sum.Sum(nil))
}
