package features_test

import (
	"bufio"
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var updateCoverage = flag.Bool("update-coverage", false, "write features/coverage.md")

const coverageFile = "../features/coverage.md"

const coverageHead = `# Which scenarios show which clause

Written by ` + "`go test ./features -run TestCoverage -update-coverage`" + `; a test fails when it is out of date. §n is a section of the
Transactional API, Dn a [decision](../docs/decisions/README.md). Clauses that no scenario shows are covered by tests of their packages;
a test names the clause that it shows.

| clause | scenarios |
|---|---|
`

// TestCoverageIsUpToDate keeps the table from clauses to scenarios true.
func TestCoverageIsUpToDate(t *testing.T) {
	t.Parallel()
	want := coverage(t)
	if *updateCoverage {
		if err := os.WriteFile(coverageFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(coverageFile)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("features/coverage.md is out of date (%v): run with -update-coverage", err)
	}
}

// TestEveryScenarioNamesAClause refuses a scenario without a clause.
func TestEveryScenarioNamesAClause(t *testing.T) {
	t.Parallel()
	for _, s := range scenarios(t) {
		if len(s.clauses) == 0 {
			t.Errorf("%s: %q has no clause", s.file, s.name)
		}
		for _, clause := range s.clauses {
			if !clauseForm.MatchString(clause) {
				t.Errorf("%s: %q: @%s is no clause", s.file, s.name, clause)
			}
		}
	}
}

var clauseForm = regexp.MustCompile(`^(\d+(\.\d+)?|D\d+)$`)

func coverage(t *testing.T) []byte {
	t.Helper()
	shown := map[string][]string{}
	for _, s := range scenarios(t) {
		for _, clause := range s.clauses {
			shown[clause] = append(shown[clause], fmt.Sprintf("%s (%s)", s.name, s.file))
		}
	}
	var table bytes.Buffer
	table.WriteString(coverageHead)
	for _, clause := range slices.SortedFunc(maps.Keys(shown), compareClauses) {
		fmt.Fprintf(&table, "| %s | %s |\n", titleOf(clause), strings.Join(shown[clause], " · "))
	}
	return table.Bytes()
}

func titleOf(clause string) string {
	if strings.HasPrefix(clause, "D") {
		return clause
	}
	return "§" + clause
}

// compareClauses puts sections before decisions, each by their numbers.
func compareClauses(a, b string) int {
	return slices.Compare(orderOf(a), orderOf(b))
}

func orderOf(clause string) []int {
	number, decision := strings.CutPrefix(clause, "D")
	order := []int{0}
	if decision {
		order[0] = 1
	}
	for part := range strings.SplitSeq(number, ".") {
		n, _ := strconv.Atoi(part)
		order = append(order, n)
	}
	return order
}

type scenario struct {
	file, name string
	clauses    []string
}

// scenarios reads tags and titles; godog parses the rest.
func scenarios(t *testing.T) (all []scenario) {
	t.Helper()
	files, err := filepath.Glob("*.feature")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var tags []string
		for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
			line := strings.TrimSpace(lines.Text())
			if strings.HasPrefix(line, "@") {
				tags = append(tags, strings.Fields(strings.ReplaceAll(line, "@", ""))...)
			}
			if title, ok := cutAny(line, "Scenario: ", "Scenario Outline: "); ok {
				all = append(all, scenario{strings.TrimSuffix(file, ".feature"), title, tags})
				tags = nil
			}
		}
	}
	slices.SortStableFunc(all, func(a, b scenario) int { return cmp.Compare(a.file, b.file) })
	return all
}

func cutAny(line string, prefixes ...string) (string, bool) {
	for _, prefix := range prefixes {
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			return rest, true
		}
	}
	return "", false
}
