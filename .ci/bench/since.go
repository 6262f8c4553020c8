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

// comparison alternates runs of the benchmarks of two programs.
type comparison struct {
	commit   string // of the earlier program
	pattern  string // of the benchmarks
	turns    int
	packages []string
	out      io.Writer

	before, now *side
	cpu         string // the processor
}

// series is the results of a side: by benchmark and unit, a value for each turn.
type series map[string]map[string][]float64

// side is one of the two programs.
type side struct {
	dir      string            // of its sources
	binaries map[string]string // of tests, by package
	shown    series
}

// run alternates the benchmarks of a commit and of this tree, in a random order in each turn, and
// returns a table of the medians. A disturbance that is longer than a turn therefore affects both.
// A benchmark that fails costs its package that turn, on both sides. The table comes with the
// errors.
func (c *comparison) run(ctx context.Context) (table string, err error) {
	dir, err := filepath.Abs(filepath.Join(".frontdesk", "since"))
	if err != nil {
		return "", fmt.Errorf("find the folder of the worktree: %w", err)
	}
	if err := command(ctx, ".", "git", "worktree", "add", "--force", "--detach", dir, c.commit).Run(); err != nil {
		return "", fmt.Errorf("check out %s: %w", c.commit, err)
	}
	defer func() {
		err = errors.Join(err, command(context.WithoutCancel(ctx), ".", "git", "worktree", "remove", "--force", dir).Run())
	}()
	c.before, c.now = &side{dir: dir, shown: series{}}, &side{dir: ".", shown: series{}}
	c.packages = slices.DeleteFunc(c.packages, func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return errors.Is(err, os.ErrNotExist)
	})
	if err := c.build(ctx); err != nil {
		return "", err
	}
	var failed []error
	for turn := range c.turns {
		for _, name := range c.packages {
			_, _ = fmt.Fprintf(c.out, "turn %d of %d: %s\n", turn+1, c.turns, name)
			failed = append(failed, c.turn(ctx, name))
			if ctx.Err() != nil {
				return sideBySide(c.before.shown, c.now.shown), errors.Join(failed...)
			}
		}
	}
	return sideBySide(c.before.shown, c.now.shown), errors.Join(failed...)
}

// build builds the tests of both sides. Both get the benchmarks of this tree, so that both are
// measured in the same way. If these do not compile with the earlier program, it keeps its own.
// Packages that it lacks are left out.
func (c *comparison) build(ctx context.Context) error {
	binaries := filepath.Join(c.before.dir, ".frontdesk", "tests")
	if err := c.now.build(ctx, filepath.Join(binaries, "now"), c.packages); err != nil {
		return err
	}
	if err := lay(c.before.dir, c.packages); err != nil {
		return err
	}
	if err := c.before.build(ctx, filepath.Join(binaries, "before"), c.packages); err == nil {
		return nil
	}
	_, _ = fmt.Fprintf(c.out, "\nThe benchmarks of today do not compile at %s. It runs its own.\n\n", c.commit)
	for _, args := range [][]string{{"checkout", "--quiet", "."}, {"clean", "--quiet", "--force", "-d"}} {
		if err := command(ctx, c.before.dir, "git", args...).Run(); err != nil {
			return fmt.Errorf("restore %s: %w", c.commit, err)
		}
	}
	return c.before.build(ctx, filepath.Join(binaries, "before"), c.packages)
}

// lay replaces another tree's benchmarks by those of this one: package benchtest, and in each
// package the test files that are named after benchmarks.
func lay(dir string, packages []string) error {
	for _, pattern := range append([]string{"adapters/benchtest/*.go"}, benchmarksOf(packages)...) {
		old, _ := filepath.Glob(filepath.Join(dir, pattern))
		today, _ := filepath.Glob(pattern)
		for _, file := range old {
			if err := os.Remove(file); err != nil {
				return fmt.Errorf("replace a benchmark: %w", err)
			}
		}
		for _, file := range today {
			source, err := os.ReadFile(file)
			if err != nil {
				return fmt.Errorf("read a benchmark: %w", err)
			}
			to := filepath.Join(dir, file)
			if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, source, 0o644)); err != nil {
				return fmt.Errorf("replace a benchmark: %w", err)
			}
		}
	}
	return nil
}

func benchmarksOf(packages []string) (patterns []string) {
	for _, name := range packages {
		patterns = append(patterns, filepath.Join(name, "*bench*_test.go"))
	}
	return patterns
}

func command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Stderr = dir, os.Stderr
	return c
}

// build builds the tests of packages.
func (s *side) build(ctx context.Context, to string, packages []string) error {
	s.binaries = map[string]string{}
	for _, name := range packages {
		binary := filepath.Join(to, strings.ReplaceAll(filepath.Clean(name), "/", "-")+".test")
		if err := command(ctx, s.dir, "go", "test", "-c", "-o", binary, "./"+filepath.Clean(name)).Run(); err != nil {
			return fmt.Errorf("build the benchmarks of %s: %w", name, err)
		}
		s.binaries[name] = binary
	}
	return nil
}

// turn runs the benchmarks of a package on both sides.
func (c *comparison) turn(ctx context.Context, name string) error {
	sides := []*side{c.before, c.now}
	rand.Shuffle(len(sides), func(i, j int) { sides[i], sides[j] = sides[j], sides[i] })
	found := map[*side]output{}
	for _, s := range sides {
		said, err := s.run(ctx, name, c.pattern)
		if err != nil {
			return err
		}
		found[s], c.cpu = said, said.cpu
	}
	for _, s := range sides {
		s.shown.add(found[s])
	}
	return nil
}

// shortest is the minimum duration of a benchmark that counts its own runs. Those that alternate
// with a floor run once.
const shortest = "300ms"

// run runs short benchmarks: the caller repeats turns.
func (s *side) run(ctx context.Context, name, pattern string) (output, error) {
	// The garbage collector has the program's settings (cmd/frontdesk/collector.go).
	bench := command(ctx, filepath.Join(s.dir, name), s.binaries[name],
		"-test.run", "^$", "-test.short", "-test.bench", pattern, "-test.benchtime", shortest, "-test.timeout", "1h")
	bench.Env = append(os.Environ(), "GOGC=400")
	said, err := bench.Output()
	if err != nil {
		return output{}, fmt.Errorf("benchmarks of %s: %w: %s", filepath.Join(s.dir, name), err, said)
	}
	found, err := read(strings.NewReader(string(said)), runtime.GOMAXPROCS(0))
	if err != nil {
		return output{}, fmt.Errorf("read benchmarks of %s: %w", name, err)
	}
	return found, nil
}

func (s series) add(o output) {
	for _, r := range o.results {
		of := strings.Join(r.name, ": ")
		if s[of] == nil {
			s[of] = map[string][]float64{}
		}
		for unit, value := range r.metrics {
			s[of][unit] = append(s[of][unit], value)
		}
	}
}

// sideBySide has a row for each unit of both sides: medians, and the median of the ratios of the
// turns with its quartiles. It names the benchmarks of only one side.
func sideBySide(before, now series) string {
	rows := [][]string{{"benchmark", "unit", "before", "now", "now / before"}}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		for _, unit := range slices.Sorted(maps.Keys(now[name])) {
			if row := rowOf(before[name][unit], now[name][unit]); row != nil && !strings.HasSuffix(unit, "-low") && !strings.HasSuffix(unit, "-high") {
				rows = append(rows, append([]string{name, unit}, row...))
			}
		}
	}
	text := markdown(rows)
	if names := lacking(before, now); len(names) > 0 {
		text += "\nOnly before: " + strings.Join(names, "; ") + "\n"
	}
	if names := lacking(now, before); len(names) > 0 {
		text += "\nOnly now: " + strings.Join(names, "; ") + "\n"
	}
	return text
}

// rowOf is nil if there is nothing to compare.
func rowOf(before, now []float64) []string {
	if len(before) == 0 || len(before) != len(now) || slices.Max(now) == 0 || slices.Min(before) == 0 {
		return nil
	}
	ratios := make([]float64, len(now))
	for n := range now {
		ratios[n] = now[n] / before[n]
	}
	at := func(part float64) float64 { return benchtest.Quantile(ratios, part) }
	return []string{number(benchtest.Quantile(slices.Clone(before), 0.5)), number(benchtest.Quantile(slices.Clone(now), 0.5)),
		fmt.Sprintf("%.2f (%.2f–%.2f)", at(0.5), at(0.25), at(0.75))}
}

// lacking returns the benchmarks of one that the other does not have.
func lacking(one, other series) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(one)) {
		if other[name] == nil {
			names = append(names, name)
		}
	}
	return names
}
