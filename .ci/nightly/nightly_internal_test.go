package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/.ci/proofs"
	"frontdesk/adapters/clock"
)

var growth = proofs.Proof{Name: "TestProveGrowth", Folder: "app"}

func TestJudgeCountsAndResult(t *testing.T) {
	t.Parallel()
	const begins = "=== RUN   TestProveGrowth\n"
	for name, c := range map[string]struct{ output, tried, result string }{
		"counts of subtests are added up": {
			begins + "=== ATTR  TestProveGrowth/a tried 2 kills\n    a_test.go:1: x=== ATTR  TestProveGrowth/b tried 3 kills\n=== ATTR  TestProveGrowth tried 7 calls\n--- PASS: TestProveGrowth (0.01s)\nPASS\n",
			"7 calls, 5 kills", proofs.Passed,
		},
		"counts of another test": {
			"=== ATTR  TestProveGrowthOfStaff tried 2 kills\n--- PASS: TestProveGrowth (0.01s)\nPASS\n", "", "failed: it tried nothing",
		},
		"nothing tried": {begins + "--- PASS: TestProveGrowth (0.01s)\nPASS\n", "", "failed: it tried nothing"},
		"skipped":       {begins + "    a_test.go:9: no podman\n--- SKIP: TestProveGrowth (0.00s)\nPASS\n", "", "failed: skipped: no podman"},
		"a failure": {
			begins + "=== ATTR  TestProveGrowth tried 2 kills\n    a_test.go:9: one is lost\n--- FAIL: TestProveGrowth (1.01s)\nFAIL\n", "2 kills", "failed: one is lost",
		},
		"a panic":             {begins + "panic: test timed out after 1s\n\nx_test.go\n", "", "failed: test timed out after 1s"},
		"no such test":        {"testing: warning: no tests to run\nPASS\n", "", "failed: it says nothing"},
		"killed after it":     {"=== ATTR  TestProveGrowth tried 2 kills\n--- PASS: TestProveGrowth (0.01s)\n\n" + ended + " signal: killed\n", "2 kills", "failed: it says nothing"},
		"a subtest by itself": {"    --- PASS: TestProveGrowth (0.01s)\n", "", "failed: it says nothing"},
	} {
		if tried, result := judge(growth, c.output); tried != c.tried || result != c.result {
			t.Errorf("%s: %q, %q", name, tried, result)
		}
	}
}

func TestJudgeFuzzTarget(t *testing.T) {
	t.Parallel()
	target := proofs.Proof{Name: "FuzzParse", Folder: "bearer"}
	const ran = "fuzz: elapsed: 0s, gathering baseline coverage: 0/9 completed\nfuzz: elapsed: 3s, execs: 300 (100/sec), new interesting: 0 (total: 9)\nfuzz: elapsed: 6s, execs: 812 (171/sec)\n"
	for output, want := range map[string][2]string{
		ran + "PASS\nok  \tfrontdesk/adapters/bearer\t6.1s\n":                                                           {"812 executions", proofs.Passed},
		"PASS\nok  \tfrontdesk/adapters/bearer\t0.1s\n":                                                                 {"", "failed: it tried nothing"},
		ran + "--- FAIL: FuzzParse (6.00s)\n    --- FAIL: FuzzParse (0.00s)\n        fuzz_test.go:30: accepted\nFAIL\n": {"812 executions", "failed: accepted"},
	} {
		if tried, result := judge(target, output); tried != want[0] || result != want[1] {
			t.Errorf("%q: %q, %q", output, tried, result)
		}
	}
}

// clone makes a repository with three proofs: one that passes, one that fails and one that tries
// nothing.
func clone(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                    "module example\n\ngo 1.26\n",
		".gitignore":                ".frontdesk\n",
		"docs/contribute/README.md": "",
		"a/a_prove_test.go": `//go:build prove

package a_test

import "testing"

func TestProveA(t *testing.T) { t.Attr("tried", "2 kills") }
func TestProveB(t *testing.T) { t.Attr("tried", "1 kills"); t.Error("one is lost") }
func TestProveC(t *testing.T) {}
`,
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."}, {"-c", "user.name=A", "-c", "user.email=a@example", "commit", "-q", "-m", "begin"},
	} {
		if said, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", root}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", args[0], err, said)
		}
	}
	return root
}

func TestNightWritesTriedCases(t *testing.T) { //nolint:paralleltest // it ends all processes that its own has started
	root := clone(t)
	var out bytes.Buffer
	all, err := proofs.Find(os.DirFS(root))
	if err != nil || len(all) != 3 {
		t.Fatalf("found %v, %v", all, err)
	}
	n := &night{root: root, out: &out, watch: clock.Start(), built: map[string]built{}}
	if err := n.run(t.Context(), all); err == nil || err.Error() != "2 proofs failed" {
		t.Errorf("a night with two failures ends with %v: %s", err, &out)
	}
	rows, err := proofs.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		got = append(got, r.Name+" "+r.Tried+": "+r.Result)
	}
	want := []string{"TestProveA 2 kills: passed", "TestProveB 1 kills: failed: one is lost", "TestProveC : failed: it tried nothing"}
	if !slices.Equal(got, want) {
		t.Errorf("the table says %q, want %q", got, want)
	}
	if due, err := n.due(t.Context(), all); err != nil || !slices.Equal(due, all[1:]) {
		t.Errorf("%v are due, want the two that failed: %v", due, err)
	}
	if err := os.WriteFile(filepath.Join(root, "README.md"), []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	n.built = map[string]built{}
	if err := n.run(t.Context(), all[:1]); err != nil || !strings.HasSuffix(n.row(all[0]).Commit, proofs.Dirty) {
		t.Errorf("beside a file that is not committed it ran at %s: %v", n.row(all[0]).Commit, err)
	}
	if due, err := n.due(t.Context(), all); err != nil || len(due) != 3 {
		t.Errorf("%v are due, want all: %v", due, err)
	}
}

func TestNightSkipsProofsOverBudget(t *testing.T) {
	t.Parallel()
	row := proofs.Row{Proof: growth, At: clock.System(), Seconds: 600}
	n := &night{budget: 5 * time.Minute, watch: clock.Start(), rows: []proofs.Row{row}}
	if n.fits(growth) {
		t.Error("ten minutes fit into five")
	}
	if !n.fits(proofs.Proof{Name: "TestProveNew"}) {
		t.Error("a proof that never ran does not fit into five minutes")
	}
	if n.budget = 0; !n.fits(growth) {
		t.Error("ten minutes do not fit where there is no limit")
	}
}

func TestNightStopsWithoutARow(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	root := clone(t)
	n := &night{root: root, out: &bytes.Buffer{}, watch: clock.Start(), built: map[string]built{}}
	if err := n.run(ctx, []proofs.Proof{{Name: "TestProveA", Folder: "a"}}); err == nil {
		t.Error("a night that is stopped ends well")
	}
	if rows, err := proofs.Read(root); len(rows) > 0 || err != nil {
		t.Errorf("the table has %v, %v", rows, err)
	}
}

func TestRunAsInitWaitsForOrphans(t *testing.T) { //nolint:paralleltest // it adopts processes that another test would end
	const orphanEnds = `orphan=$(sleep 0.1 > /dev/null & echo $!); while kill -0 $orphan; do sleep 0.01; done; exit 3`
	if err := adopt(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := runAsInit(exec.CommandContext(ctx, "sh", "-c", orphanEnds)); err == nil || err.Error() != "exit status 3" {
		t.Errorf("a command that waits until an orphan is gone: %v", err)
	}
	if err := runAsInit(exec.CommandContext(ctx, "/no such program")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a program that does not exist: %v", err)
	}
	if err := endAll(); err != nil {
		t.Error(err)
	}
}

func TestEndAllEndsOrphans(t *testing.T) { //nolint:paralleltest // it ends all processes that its own has started
	if err := adopt(); err != nil {
		t.Fatal(err)
	}
	if err := exec.CommandContext(t.Context(), "sh", "-c", "sleep 60 & exec true").Run(); err != nil {
		t.Fatal(err)
	}
	pids, err := descendants(os.Getpid())
	if err != nil || len(pids) != 1 {
		t.Fatalf("these are left: %v, %v", pids, err)
	}
	if err := endAll(); err != nil {
		t.Error(err)
	}
	if pids, err := descendants(os.Getpid()); err != nil || len(pids) > 0 {
		t.Errorf("these are left: %v, %v", pids, err)
	}
}

func TestParentOfStrangeName(t *testing.T) {
	t.Parallel()
	if pid, parent, err := parentOf("7 (a) S 9 (b) S 3 7 7"); pid != 7 || parent != 3 || err != nil {
		t.Errorf("%d is a child of %d: %v", pid, parent, err)
	}
	if _, _, err := parentOf("7 (a)"); err == nil {
		t.Error("a line without a parent is read")
	}
}
