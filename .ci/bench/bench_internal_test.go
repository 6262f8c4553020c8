package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const sample = `goos: linux
pkg: frontdesk/projections
cpu: A fast one
note: A remark.
BenchmarkAppend/writers=8/half_on_shared_streams-4         	       1	        24.50 µs-cluster	        20.00 µs-cluster-floor	      2000 appends/s	      2500.4 inserts/s	         0.8000 of-insert	         0.9000 of-insert-high	         0.7000 of-insert-low	         0.6500 of-insert-cpu
BenchmarkLag/at_rest-4         	       1	         1.500 p50-ms
BenchmarkRights/select-1-4     	   17632	     50000 ns/op
BenchmarkRights/user-4         	    2559	    125000 ns/op
BenchmarkPeers/append,_1_writer/frontdesk-4         	       1	       300.0 events/s	       290.0 events/s-low	       1310 events/s-high	        10 µs-cluster	        20 µs-program
BenchmarkPeers/lag/frontdesk-4         	       1	       2 p50-ms	       9 p99-ms	        10 µs-cluster	        20 µs-program
BenchmarkPeers/append,_1_writer/other_1.2-4         	       1	       200.0 events/s	       190.0 events/s-low	       210 events/s-high	        10 µs-cluster	        20 µs-program
PASS
`

func TestATableShowsEachBenchmark(t *testing.T) {
	t.Parallel()
	found, err := read(strings.NewReader(sample), 4)
	if err != nil {
		t.Fatal(err)
	}
	if found.cpu != "A fast one" {
		t.Errorf("the processor is %q", found.cpu)
	}
	wantTable(t, found.table(), `CPU is for one operation, that of the floor in brackets.

| benchmark                                 | shows                            | of its floor               | by CPU | CPU of program, µs | of Postgres, µs | else       |
| ----------------------------------------- | -------------------------------- | -------------------------- | ------ | ------------------ | --------------- | ---------- |
| Append: writers=8: half on shared streams | 2,000 appends/s, 2,500 inserts/s | 0.80 of insert (0.70–0.90) | 0.65   |                    | 24.5 (20)       |            |
| Lag: at rest                              |                                  |                            |        |                    |                 | 1.5 p50-ms |
| Rights: select-1                          | 50µs each                        |                            |        |                    |                 |            |
| Rights: user                              | 125µs each                       | 2.50 × select-1            |        |                    |                 |            |

`)
	wantTable(t, found.peers(), `Beside peers: events a second (quartiles) or the lag in ms; then the CPU of program + Postgres for one event, in µs.

|                  | frontdesk                | other 1.2              |
| ---------------- | ------------------------ | ---------------------- |
| append, 1 writer | 300 (290–1,310); 20 + 10 | 200 (190–210); 20 + 10 |
| lag              | p50 2, p99 9; 20 + 10    | –                      |

- A remark.
`)
}

func TestSideBySideShowsMediansOfTurns(t *testing.T) {
	t.Parallel()
	old := series{"Append": {"appends/s": {100, 1000, 200}, "of-insert-low": {1, 1, 1}}, "Gone": {"x/s": {1, 1, 1}}}
	now := series{"Append": {"appends/s": {150, 2000, 210}, "of-insert-low": {1, 1, 1}}, "New": {"x/s": {1, 1, 1}}, "Idle": {"x/s": {0, 0, 0}}}
	old["Idle"] = map[string][]float64{"x/s": {0, 0, 0}}
	got := sideBySide(old, now)
	table, rest, _ := strings.Cut(got, "\n\n")
	wantTable(t, table, `| benchmark | unit      | before | now | now / before     |
| --------- | --------- | ------ | --- | ---------------- |
| Append    | appends/s | 200    | 210 | 1.50 (1.27–1.75) |`)
	for _, want := range []string{"Only before: Gone\n", "Only now: New\n"} {
		if !strings.Contains(rest, want) {
			t.Errorf("%q lacks %q", rest, want)
		}
	}
}

// The earlier program lacks today's benchmark files, and has one that no longer exists.
func TestBothSidesRunTheBenchmarksOfToday(t *testing.T) {
	today, before := t.TempDir(), t.TempDir()
	t.Chdir(today)
	write(t, today, "log/bench_test.go", "new")
	write(t, today, "log/log.go", "new")
	write(t, today, "adapters/benchtest/cpu.go", "new")
	write(t, before, "log/bench_test.go", "old")
	write(t, before, "log/bench_gone_test.go", "old")
	write(t, before, "log/log.go", "old")
	if err := lay(before, []string{"./log"}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"log/bench_test.go": "new", "adapters/benchtest/cpu.go": "new", "log/log.go": "old", "log/bench_gone_test.go": "",
	} {
		if got, _ := os.ReadFile(filepath.Join(before, name)); string(got) != want {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	to := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func TestOnlyPackagesWithBenchmarksAreBuilt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "a/bench_test.go", "func BenchmarkAppend(b *testing.B) {")
	write(t, dir, "b/bench_test.go", "func BenchmarkLag(b *testing.B) {")
	write(t, dir, "c/bench_test.go", "func TestAppend(t *testing.T) {")
	all := []string{filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "c")}
	for pattern, want := range map[string][]string{
		".": all[:2], "Append": all[:1], "^Benchmark(Append|Lag)$": all[:2], "Lag/at_rest": all[1:2], "Peers": nil,
	} {
		got, err := withBenchmarks(all, pattern)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %v, error %v, want %v", pattern, got, err, want)
		}
	}
}

func wantTable(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestResultOfSkipsOtherLines(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"", "PASS", "ok  	frontdesk/domain	1.2s", "BenchmarkCut-4", "BenchmarkCut-4 1 fast ns/op", "--- FAIL: BenchmarkCut-4 1 2 3"} {
		if r, ok := resultOf(line, 4); ok {
			t.Errorf("%q is read as %v", line, r)
		}
	}
}
