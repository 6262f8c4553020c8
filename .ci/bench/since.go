package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"frontdesk/adapters/benchtest"
)

// side is one of two programs whose benchmarks run in turns.
type side struct {
	dir      string                          // of its sources
	binaries map[string]string               // of tests, by package
	shown    map[string]map[string][]float64 // by benchmark and unit, a value for each turn
}

// compare runs the benchmarks of a commit and of this tree in turns, in a random order in
// each, and prints a table of the medians. What disturbs the machine for longer than a turn
// therefore disturbs both.
func compare(ctx context.Context, commit, pattern string, turns int, packages []string, out io.Writer) (err error) {
	dir, err := filepath.Abs(filepath.Join(".frontdesk", "since"))
	if err != nil {
		return fmt.Errorf("find the folder of the clone: %w", err)
	}
	if err := command(ctx, ".", "git", "worktree", "add", "--force", "--detach", dir, commit).Run(); err != nil {
		return fmt.Errorf("check out %s: %w", commit, err)
	}
	defer func() {
		err = errors.Join(err, command(context.WithoutCancel(ctx), ".", "git", "worktree", "remove", "--force", dir).Run())
	}()
	old, now := &side{dir: dir}, &side{dir: "."}
	for _, s := range []*side{old, now} {
		if err := s.build(ctx, filepath.Join(dir, ".frontdesk", "tests", fmt.Sprint(s == now)), packages); err != nil {
			return err
		}
	}
	for turn := range turns {
		_, _ = fmt.Fprintf(out, "turn %d of %d\n", turn+1, turns)
		for _, name := range packages {
			both := []*side{old, now}
			rand.Shuffle(len(both), func(i, j int) { both[i], both[j] = both[j], both[i] })
			for _, s := range both {
				if err := s.run(ctx, name, pattern); err != nil {
					return err
				}
			}
		}
	}
	_, err = fmt.Fprintf(out, "\n%s", sideBySide(old.shown, now.shown))
	return err
}

func command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Stderr = dir, os.Stderr
	return c
}

// build builds the tests of packages. A package that the commit does not have is left out.
func (s *side) build(ctx context.Context, to string, packages []string) error {
	s.binaries, s.shown = map[string]string{}, map[string]map[string][]float64{}
	for _, name := range packages {
		if _, err := os.Stat(filepath.Join(s.dir, name)); errors.Is(err, os.ErrNotExist) {
			continue
		}
		binary := filepath.Join(to, strings.ReplaceAll(filepath.Clean(name), "/", "-")+".test")
		if err := command(ctx, s.dir, "go", "test", "-c", "-o", binary, "./"+filepath.Clean(name)).Run(); err != nil {
			return fmt.Errorf("build the benchmarks of %s: %w", name, err)
		}
		s.binaries[name] = binary
	}
	return nil
}

func (s *side) run(ctx context.Context, name, pattern string) error {
	binary, has := s.binaries[name]
	if !has {
		return nil
	}
	// The collector is set as the program sets it (cmd/frontdesk/collector.go).
	bench := command(ctx, filepath.Join(s.dir, name), binary, "-test.run", "^$", "-test.bench", pattern, "-test.benchtime", "1x", "-test.timeout", "1h")
	bench.Env = append(os.Environ(), "GOGC=400")
	said, err := bench.Output()
	if err != nil {
		return fmt.Errorf("benchmarks of %s: %w: %s", filepath.Join(s.dir, name), err, said)
	}
	found, err := read(strings.NewReader(string(said)), runtime.GOMAXPROCS(0))
	if err != nil {
		return fmt.Errorf("read benchmarks of %s: %w", name, err)
	}
	for _, r := range found.results {
		of := strings.Join(r.name, ": ")
		if s.shown[of] == nil {
			s.shown[of] = map[string][]float64{}
		}
		for unit, value := range r.metrics {
			s.shown[of][unit] = append(s.shown[of][unit], value)
		}
	}
	return nil
}

// sideBySide has a row for each unit that both have shown: medians, and the median of the
// ratios of the turns.
func sideBySide(old, now map[string]map[string][]float64) string {
	rows := [][]string{{"benchmark", "unit", "before", "now", "now / before"}}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		for _, unit := range slices.Sorted(maps.Keys(now[name])) {
			before, after := old[name][unit], now[name][unit]
			if len(before) != len(after) || strings.HasSuffix(unit, "-low") || strings.HasSuffix(unit, "-high") || slices.Max(after) == 0 {
				continue
			}
			ratios := make([]float64, len(after))
			for n := range after {
				ratios[n] = after[n] / before[n]
			}
			rows = append(rows, []string{name, unit, number(benchtest.Quantile(slices.Clone(before), 0.5)), number(benchtest.Quantile(slices.Clone(after), 0.5)),
				fmt.Sprintf("%.2f", benchtest.Quantile(ratios, 0.5))})
		}
	}
	return markdown(rows)
}
