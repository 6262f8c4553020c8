//go:build walk

package docs_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var pyright = npm("testdata/pyright")

// Type checkers find every exported name of the Python package, and the mistakes of its caller.
func TestWalkTypeCheckersKnowPython_D159(t *testing.T) {
	t.Parallel()
	const sample = "tests/typed.py"
	text, err := os.ReadFile("../client/python/" + sample)
	if err != nil {
		t.Fatal(err)
	}
	var want []int
	for n, line := range strings.Split(string(text), "\n") {
		if strings.HasSuffix(line, "# wrong") {
			want = append(want, n+1)
		}
	}
	checkers, err := pyright()
	if err != nil {
		t.Fatal(err)
	}
	for name, command := range map[string][]string{
		"mypy":    {"mypy", "--strict", "--cache-dir=/dev/null", "--python-executable", python, sample},
		"pyright": {filepath.Join(checkers, "node_modules", ".bin", "pyright"), "--pythonpath", python, sample},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, failure := tryOutput(context.Background(), "", "../client/python", command[0], command[1:]...)
			if failure == nil {
				t.Fatal("it finds no error")
			}
			if got := errorLines(t, failure.Error(), sample); !slices.Equal(got, want) {
				t.Errorf("it finds errors in the lines %v, want %v:\n%v", got, want, failure)
			}
		})
	}
}

var errorLine = regexp.MustCompile(`(?m)^\s*(\S+\.py):(\d+):(?:\d+ -)? error: `)

// errorLines returns the lines of the sample with errors. Errors elsewhere fail the test.
func errorLines(t *testing.T, said, sample string) (lines []int) {
	t.Helper()
	for _, found := range errorLine.FindAllStringSubmatch(said, -1) {
		file, number := found[1], found[2]
		line, err := strconv.Atoi(number)
		if err != nil || !strings.HasSuffix(file, sample) {
			t.Errorf("%s, line %s has an error", file, number)
			continue
		}
		lines = append(lines, line)
	}
	return lines
}
