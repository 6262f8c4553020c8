package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ out, outcome, by string }{
		"a test":     {"--- FAIL: TestA (0.1s)\n    --- FAIL: TestA/b (0.1s)\nFAIL\n", killed, "TestA"},
		"a panic":    {"panic: index out of range\n\ngoroutine 1", killed, "panic: index out of range"},
		"an exit":    {"exit status 3\nFAIL\tp", killed, "the tests' exit status"},
		"time":       {"panic: test timed out after 1m0s\n", timedOut, "panic: test timed out after 1m0s"},
		"no program": {"p_test.go:3:1: undefined: f\nFAIL\tp [build failed]\n", uncompiled, ""},
		"no SQL":     {"--- FAIL: TestA (0.1s)\n    ERROR: syntax error (SQLSTATE 42601)\n", uncompiled, ""},
	} {
		if outcome, by := verdict(c.out); outcome != c.outcome || by != c.by {
			t.Errorf("%s: %s by %q, want %s by %q", name, outcome, by, c.outcome, c.by)
		}
	}
}

const judged = `package p

// Least returns the lesser number.
func Least(a, b int) int {
	if a < b {
		return a
	}
	return b
}
`

const tested = `package p

import "testing"

func TestLeast(t *testing.T) {
	if Least(1, 2) != 1 || Least(2, 1) != 1 {
		t.Fail()
	}
}
`

// A module of one function has three mutants. The boundary makes no difference to it.
func TestMutantsOfModule(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module p\n\ngo 1.26\n", "p.go": judged, "p_test.go": tested} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-n", "9", "-seed", "5", "-out", "results.tsv", "."}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`killed +condition negated +p.go:5  TestLeast`, `survived +boundary moved +p.go:5  \(`, "-\tif a < b {\n\\+\tif a <= b {\n",
		`2 mutants by seed 5: 1 killed, 0 timed out, 1 survived; 0 more did not compile`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("printed is\n%s\nwant %s", &out, want)
		}
	}
	saved, err := os.ReadFile("results.tsv")
	if err != nil || strings.Count(string(saved), "\n") != 3 || !strings.Contains(string(saved), "\t<\t<=\n") {
		t.Errorf("saved is %s (%v)", saved, err)
	}
	if now, err := os.ReadFile("p.go"); err != nil || string(now) != judged {
		t.Errorf("the tree has %s (%v)", now, err)
	}
	broken := strings.Replace(tested, "t.Fail()", "", 1) + "\nfunc TestBroken(t *testing.T) { t.Fail() }\n"
	if err := os.WriteFile("p_test.go", []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), []string{"."}, &out); err == nil || !strings.Contains(err.Error(), "fail without a mutant") {
		t.Errorf("error = %v for tests that fail anyway", err)
	}
}
