package retention_test

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wantWhole fails unless each line is unchanged in the database or in a file.
func wantWhole(t *testing.T, before, live, archived map[string]string) {
	t.Helper()
	for id := range live {
		if archived[id] != "" {
			t.Errorf("line %s is in the database and in a file", id)
		}
	}
	together := maps.Clone(live)
	maps.Copy(together, archived)
	if diff := cmp.Diff(before, together); diff != "" {
		t.Errorf("lines before, and in both places (-want +got):\n%s", diff)
	}
}

var errStopped = errors.New("stopped")

func TestARunThatIsStoppedIsFinishedByTheNext_D72(t *testing.T) {
	t.Parallel()
	steps := stopped(t, 0)
	if steps < 25 {
		t.Fatalf("a run makes %d steps only", steps)
	}
	for n := 1; n <= steps; n++ {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			stopped(t, n)
		})
	}
}

// stopped stops a run after its nth step, a year after the last run, and lets another
// one complete it. It returns the number of steps of the first one.
func stopped(t *testing.T, n int) int {
	t.Helper()
	o := aged(t, day(2026, 5, 1))
	o.TakeAllForLarge()
	o.now = o.now.AddDate(1, 0, 0)
	o.calls(o.now)
	calls, delivered := o.all("access_record", "request_id"), o.all("delivered", "event")
	done := o.Stopping(n, errStopped)
	if err := o.Run(t.Context()); n > 0 && !errors.Is(err, errStopped) || n == 0 && err != nil {
		t.Fatalf("the run that is stopped: %v", err)
	}
	steps := *done
	o.calls(o.now) // the service continues
	calls[slices.Max(slices.Collect(maps.Keys(o.all("access_record", "request_id"))))] = ""
	o.Stopping(0, nil)
	o.run()
	live, archived := o.all("access_record", "request_id"), o.archived("access_record", "request_id")
	for id := range calls {
		if calls[id] == "" {
			calls[id] = live[id]
		}
	}
	wantWhole(t, calls, live, archived)
	wantWhole(t, delivered, o.all("delivered", "event"), o.archived("delivered", "event"))
	if files, _ := filepath.Glob(filepath.Join(o.Dir, "*.jsonl.gz")); len(files) != len(o.log()) {
		t.Errorf("%d files, %d events", len(files), len(o.log()))
	}
	if drafts, _ := filepath.Glob(filepath.Join(o.Dir, "*.draft")); len(drafts) > 0 {
		t.Errorf("left behind: %v", drafts)
	}
	o.wantMonths("access_record", map[string]int{"until_2027_07": 2, "2027_07": 0, "default": 0})
	o.wantMonths("delivered", map[string]int{"until_2027_07": 0, "2027_07": 0, "default": 0})
	return steps
}
