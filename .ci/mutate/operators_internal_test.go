package main

import (
	"go/importer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mutantsOf returns the mutants of the one line of a function that is in %s.
func mutantsOf(t *testing.T, line string) map[string][]string {
	t.Helper()
	const before = "package p\n\ntype fault string\n\nfunc (f fault) Error() string { return string(f) }\n\ntype id struct{ n int }\n\n" +
		"func say(a, b string) {}\n\nfunc find(id id, n int) error { return nil }\n\nfunc f(a, b string, n int, of id, err error) error {\n"
	text := before + line + "\n\treturn nil\n}\n"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &goPackage{ImportPath: "p", Dir: dir, GoFiles: []string{"p.go"}}
	sources, err := p.sources(token.NewFileSet(), importer.Default())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, m := range sources[0].mutants() {
		if m.from >= len(before) {
			lines := strings.Split(string(m.mutated()), "\n")
			found[m.kind] = append(found[m.kind], strings.TrimSpace(lines[strings.Count(before, "\n")]))
		}
	}
	return found
}

func TestGoMutants(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]map[string][]string{
		`if a == "" && n < 5 { return nil }`: {
			negated:  {`if !(a == "" && n < 5) { return nil }`},
			logic:    {`if a == "" || n < 5 { return nil }`},
			boundary: {`if a == "" && n <= 5 { return nil }`},
			constant: {`if a == "" && n < 6 { return nil }`, `if a == "" && n < 4 { return nil }`},
		},
		`switch { case n >= 1: return nil }`: {
			negated:  {`switch { case !(n >= 1): return nil }`},
			boundary: {`switch { case n > 1: return nil }`},
			constant: {`switch { case n >= 2: return nil }`, `switch { case n >= 0: return nil }`},
		},
		`switch n { case 1: return fault("x") }`: {
			constant: {`switch n { case 2: return fault("x") }`, `switch n { case 0: return fault("x") }`},
			unerror:  {`switch n { case 1: return nil }`},
		},
		`return err`: {unerror: {`return nil`}},
		`say(a, b)`: {
			uncalled: {``},
			zeroed:   {`say("", b)`, `say(a, "")`},
			swapped:  {`say(b, a)`},
		},
		`return find(of, n)`: {
			unerror: {`return nil`},
			zeroed:  {`return find(id{}, n)`, `return find(of, 0)`},
		},
		`var words [3]string; _ = words; _ = n << 4`: {},
		`panic("a")`: {},
		`const q = "SELECT a FROM b WHERE c"; say(q, q)`: {
			uncalled:     {`const q = "SELECT a FROM b WHERE c";`},
			zeroed:       {`const q = "SELECT a FROM b WHERE c"; say("", q)`, `const q = "SELECT a FROM b WHERE c"; say(q, "")`},
			unpredicated: {`const q = "SELECT a FROM b WHERE (c OR TRUE)"; say(q, q)`},
		},
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(want, mutantsOf(t, line)); diff != "" {
				t.Errorf("mutants (-want +got):\n%s", diff)
			}
		})
	}
}

// The same seed draws the same mutants, and each of them once.
func TestDrawIsSeeded(t *testing.T) {
	t.Parallel()
	var all []mutant
	for n := range 100 {
		all = append(all, mutant{kind: negated, from: n})
	}
	all = append(all, mutant{kind: unlocked}, mutant{kind: unlimited})
	places := func(seed uint64) (froms []int) {
		for m := range draw(all, seed) {
			froms = append(froms, m.from)
		}
		return froms
	}
	first, same, other := places(1), places(1), places(2)
	if !slices.Equal(first, same) || slices.Equal(first, other) {
		t.Errorf("seed 1 draws %v and %v, seed 2 %v", first, same, other)
	}
	if slices.Sort(first); len(slices.Compact(first)) != 100 || len(same) != len(all) {
		t.Errorf("%d of %d are drawn", len(same), len(all))
	}
	rare := 0
	for m := range draw(all, 3) {
		if rare++; m.kind == unlocked {
			break
		}
	}
	if rare > 20 {
		t.Errorf("the one mutant of its kind is number %d", rare)
	}
}

func TestDependentsNearestFirst(t *testing.T) {
	t.Parallel()
	tests := []string{"a_test.go"}
	w := workspace{
		"domain":   {},
		"commands": {Imports: []string{"domain"}, TestGoFiles: tests},
		"api":      {Imports: []string{"commands"}, TestGoFiles: tests},
		"postgres": {XTestImports: []string{"domain"}, XTestGoFiles: tests},
		"events":   {Imports: []string{"domain"}}, // without tests
		"other":    {TestGoFiles: tests},
	}
	if diff := cmp.Diff([]string{"commands", "postgres", "api"}, w.dependents("domain")); diff != "" {
		t.Errorf("dependents (-want +got):\n%s", diff)
	}
}
