package auditing_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/domain/access"
	"frontdesk/domain/staff"
)

// tally counts calls by their later explanations.
type tally struct {
	mu         sync.Mutex
	compared   map[string]int // and found alike, by the outcome
	excepted   int            // within a second of a change to their dependencies
	unlike     int            // of these, explained otherwise than answered
	unrecorded int            // refused for their tokens
}

func newTally() *tally { return &tally{compared: map[string]int{}} }

func (f *tally) add(count func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	count()
}

func (f *tally) count(m madeCall, v auditing.Verdict, agree, near bool) {
	f.add(func() {
		if !near {
			f.compared[outcomeOf(m, v)]++
			return
		}
		if f.excepted++; !agree {
			f.unlike++
		}
	})
}

// outcomeOf is the outcome of a call: the rule that refused it and the event behind that, or
// its answer if every rule allowed it.
func outcomeOf(m madeCall, v auditing.Verdict) string {
	if v.Allowed {
		return strings.TrimSpace(fmt.Sprintf("allowed, and answered %d %s", m.status, m.code))
	}
	because := "nothing"
	for _, b := range slices.Backward(v.Because) {
		_, left := b.Event.(staff.Deactivated)
		if b.Rule == v.Rule || left && v.Rule == access.RuleAuthorised {
			because = b.EventName()
		}
	}
	return fmt.Sprintf("%s (%s) by %s", v.Rule, v.Code, because)
}

// want fails unless the given number of calls was recorded, most of them were compared, and
// each of the outcomes occurred, by how they begin.
func (f *tally) want(t *testing.T, recorded int, outcomes ...string) {
	t.Helper()
	found, compared := slices.Sorted(maps.Keys(f.compared)), 0
	for _, outcome := range found {
		compared += f.compared[outcome]
		t.Logf("%6d %s", f.compared[outcome], outcome)
	}
	t.Logf("%d of %d recorded calls were compared; %d came within a second of a change to their dependencies, of which %d are explained otherwise than answered; %d more were refused for their tokens and are not recorded",
		compared, recorded, f.excepted, f.unlike, f.unrecorded)
	if compared+f.excepted != recorded || f.excepted > recorded/4 || f.unrecorded == 0 {
		t.Error("too few calls could be compared")
	}
	for _, outcome := range outcomes {
		if !slices.ContainsFunc(found, func(found string) bool { return strings.HasPrefix(found, outcome) }) {
			t.Errorf("the traffic is too dull: no call was %s", outcome)
		}
	}
}
