package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"frontdesk/adapters/clock"
)

// Results of a mutant. A change that does not compile, or is no statement of SQL, is no mutant:
// another one is drawn for it.
const (
	killed     = "killed"
	timedOut   = "timed out" // a run of the tests would notice it
	survived   = "survived"
	uncompiled = "does not compile"
)

// result is the result of the tests for a mutant.
type result struct {
	mutant
	outcome string
	by      string // the first test that failed
	took    time.Duration
}

// judge runs tests on mutants.
type judge struct {
	config
	packages workspace
	usual    map[string]time.Duration // how long a package's tests take without a mutant; below 0 if they fail
}

func newJudge(ctx context.Context, c config, w workspace) (*judge, error) {
	j := &judge{config: c, packages: w, usual: map[string]time.Duration{}}
	if len(c.also) == 0 {
		return j, nil
	}
	also, err := list(ctx, c.also...)
	j.also = nil
	for _, p := range also {
		j.also = append(j.also, p.ImportPath)
	}
	return j, err
}

// judges returns the packages whose tests judge the mutants of one, in their order.
func (j *judge) judges(own string) (all []string) {
	others := j.packages.dependents(own)
	for _, pkg := range slices.Concat([]string{own}, j.also, others[:min(j.dependents, len(others))]) {
		if !slices.Contains(all, pkg) {
			all = append(all, pkg)
		}
	}
	return all
}

// sample judges mutants in their order until there are enough, and prints each result.
func (j *judge) sample(ctx context.Context, all iter.Seq[mutant], out io.Writer) (results []result, err error) {
	judged := 0
	for m := range all {
		if judged == j.count {
			break
		}
		r, err := j.judgeOne(ctx, m)
		if err != nil {
			return results, err
		}
		if results = append(results, r); r.outcome == uncompiled {
			continue
		}
		judged++
		_, _ = fmt.Fprintf(out, "%3d %s\n", judged, r)
	}
	return results, nil
}

// judgeOne judges a mutant by its package's own tests, and a survivor by those of other packages.
func (j *judge) judgeOne(ctx context.Context, m mutant) (r result, err error) {
	watch := clock.Start()
	overlay, remove, err := overlay(m)
	if err != nil {
		return r, err
	}
	defer remove()
	r = result{mutant: m, outcome: survived}
	defer func() { r.took = watch.Elapsed() }()
	own := m.source.pkg.ImportPath
	for _, pkg := range j.judges(own) {
		usual, err := j.baseline(ctx, pkg)
		if err != nil {
			return r, err
		}
		if usual < 0 {
			if pkg == own {
				return r, fmt.Errorf("the tests of %s fail without a mutant", own)
			}
			continue
		}
		out, err := goCommand(ctx, overlay, "test", "-vet=off", "-count=1", "-failfast", "-timeout", max(time.Minute, 4*usual).Truncate(time.Second).String(), pkg)
		if err == nil {
			continue
		}
		r.outcome, r.by = verdict(out)
		return r, unlessExit(ctx, err, out)
	}
	return r, nil
}

// baseline returns how long the tests of a package take without a mutant.
func (j *judge) baseline(ctx context.Context, pkg string) (time.Duration, error) {
	if usual, known := j.usual[pkg]; known {
		return usual, nil
	}
	if out, err := goCommand(ctx, "", "test", "-vet=off", "-count=1", "-run", "^$", pkg); err != nil { // compiles them
		return 0, fmt.Errorf("compile the tests of %s: %w: %s", pkg, err, out)
	}
	watch := clock.Start()
	out, err := goCommand(ctx, "", "test", "-vet=off", "-count=1", pkg)
	j.usual[pkg] = watch.Elapsed()
	if err != nil {
		j.usual[pkg] = -1
	}
	return j.usual[pkg], unlessExit(ctx, err, out)
}

// unlessExit returns an error that is not the exit status of a command that ran to its end.
func unlessExit(ctx context.Context, err error, out string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, exit := errors.AsType[*exec.ExitError](err); err == nil || exit {
		return nil
	}
	return fmt.Errorf("%w: %s", err, out)
}

var (
	failedTest = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	panicked   = regexp.MustCompile(`(?m)^(?:panic|fatal error): (.*)`)
	// A query that Postgres cannot read: another sample of SQL is needed, not a test.
	unreadable = regexp.MustCompile(`SQLSTATE (?:42601|42P08|42P18|42804|42846)`)
)

// verdict parses the output of failing tests.
func verdict(out string) (outcome, by string) {
	by = "the tests' exit status"
	if found := failedTest.FindStringSubmatch(out); found != nil {
		by = found[1]
	} else if found := panicked.FindStringSubmatch(out); found != nil {
		by = "panic: " + found[1]
	}
	switch {
	case strings.Contains(out, "[build failed]"), strings.Contains(out, "[setup failed]"), unreadable.MatchString(out):
		return uncompiled, ""
	case strings.Contains(out, "panic: test timed out after"):
		return timedOut, by
	}
	return killed, by
}

// overlay writes the mutated file to a folder of its own, with the JSON that makes the
// compiler read it in place of the original one. Remove deletes the folder.
func overlay(m mutant) (path string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	original, err := filepath.Abs(m.source.name)
	if err != nil {
		return "", remove, err
	}
	file, path := filepath.Join(dir, filepath.Base(original)), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {original: file}})
	if err != nil {
		return "", remove, err
	}
	return path, remove, errors.Join(os.WriteFile(file, m.mutated(), 0o600), os.WriteFile(path, replace, 0o600))
}

// goCommand runs the go command with an overlay. The programs that tests build have it also.
func goCommand(ctx context.Context, overlay string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "go", args...)
	c.Env = os.Environ()
	if overlay != "" {
		c.Env = append(c.Env, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay))
	}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = 10 * time.Second
	out, err := c.CombinedOutput()
	return string(out), err
}
