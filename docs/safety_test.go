package docs_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// hazard is a section of safety/hazard-log.md.
type hazard struct{ title, text string }

// number is that of the hazard's title.
func (h hazard) number() int {
	n, _ := strconv.Atoi(numbered.FindStringSubmatch(h.title)[1]) // the pattern has digits
	return n
}

// safetyPage is safety/hazard-log.md in parts.
type safetyPage struct {
	hazards  []hazard
	matrix   string // severity, likelihood and risk
	versions string // owners, states and the changes of hazards
}

func readSafety(t *testing.T) (page safetyPage) {
	t.Helper()
	text, err := os.ReadFile("safety/hazard-log.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range strings.Split(string(text), "\n## ")[1:] {
		title, text, _ := strings.Cut(section, "\n")
		switch {
		case numbered.MatchString(title):
			page.hazards = append(page.hazards, hazard{title, text})
		case title == "How risk is rated":
			page.matrix = text
		case title == "Owners, status and versions":
			page.versions = text
		}
	}
	if len(page.hazards) < 28 {
		t.Errorf("there are %d hazards", len(page.hazards))
	}
	return page
}

var (
	numbered  = regexp.MustCompile(`^H(\d+)\. `)
	named     = regexp.MustCompile("`(Test[A-Za-z0-9_]+|[a-z_]+\\.feature: [^`]+)`")
	apart     = regexp.MustCompile(`^Test(Prove|Walk)[A-Z]`)
	tagged    = regexp.MustCompile(`^//go:build (\w+)\n`)
	declared  = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9_]+)\(\w+ \*testing\.[TF]\)`)
	scenarios = regexp.MustCompile(`(?m)^\s*Scenario(?: Outline)?: (.+?)\s*$`)
)

// sources are the tests and scenarios that there are, by the names that safety/hazard-log.md has for
// them. A test's value is the build tag without which it does not run: "" for those of `make test`.
func sources(t *testing.T) map[string]string {
	t.Helper()
	there := map[string]string{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, ".feature") {
			return err
		}
		text, err := os.ReadFile(path)
		tag := ""
		if found := tagged.FindSubmatch(text); found != nil {
			tag = string(found[1])
		}
		for _, test := range declared.FindAllStringSubmatch(string(text), -1) {
			there[test[1]] = tag
		}
		if strings.HasSuffix(path, ".feature") {
			for _, scenario := range scenarios.FindAllStringSubmatch(string(text), -1) {
				there[filepath.Base(path)+": "+scenario[1]] = ""
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return there
}

// tagOf returns the build tag that the name of a test promises.
func tagOf(name string) string {
	if found := apart.FindStringSubmatch(name); found != nil {
		return strings.ToLower(found[1])
	}
	return ""
}

// Each row of the guarantees names the tests that show it, or the package or feature that
// does. A guarantee whose test has gone is a promise that nothing keeps.
func TestGuaranteesNameTheirTests(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("guarantees.md")
	if err != nil {
		t.Fatal(err)
	}
	there, rows := sources(t), 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(line, "|\n"), " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) != 2 || cells[0] == " guarantee" {
			continue
		}
		rows++
		shown := inCode.FindAllStringSubmatch(cells[1], -1)
		if len(shown) == 0 && !strings.Contains(cells[1], "](") {
			t.Errorf("no test shows: %s", line)
		}
		for _, by := range shown {
			name := strings.TrimSuffix(by[1], ".Conformance")
			switch {
			case strings.HasPrefix(name, "make "), strings.HasPrefix(name, "_D"), strings.Contains(name, "docs/"):
			case strings.HasPrefix(name, "Test"), strings.HasPrefix(name, "Fuzz"):
				if tag, found := there[name]; !found || tag != tagOf(name) {
					t.Errorf("there is no %s, or it does not run when its name says", name)
				}
			case name == "eventtest":
			default:
				if _, err := os.Stat(filepath.Join("..", name)); err != nil {
					t.Errorf("there is no %s: %v", name, err)
				}
			}
		}
	}
	if rows < 100 {
		t.Errorf("the page has %d guarantees", rows)
	}
}

var inCode = regexp.MustCompile("`([^`]+)`")

// A page names a test with or without the decision at its end, or declares it in an example.
func TestPagesNameTests(t *testing.T) {
	t.Parallel()
	there := map[string]bool{}
	for name := range sources(t) {
		there[name], there[decided.ReplaceAllString(name, "")] = true, true
	}
	seen := 0
	for _, name := range pagesOf(t) {
		text := read(t, name)
		for _, test := range named.FindAllStringSubmatch(text, -1) {
			seen++
			if strings.HasPrefix(test[1], "Test") && !slices.Contains([]string{"TestWalk", "TestProve", "TestX"}, test[1]) &&
				!there[test[1]] && !strings.Contains(text, "func "+test[1]+"(") {
				t.Errorf("%s: there is no %s", name, test[1])
			}
		}
	}
	if seen < 500 {
		t.Errorf("the pages name %d tests", seen)
	}
}

// decided is the end of a name: clauses and decisions.
var decided = regexp.MustCompile(`(_[A-Z]?[0-9]+)+$`)

// A control without a test may be lost unnoticed.
func TestEveryControlOfAHazardHasItsTest(t *testing.T) {
	t.Parallel()
	there := sources(t)
	for _, h := range readSafety(t).hazards {
		_, controls, _ := strings.Cut(h.text, "\n| cause | what is done against it | shown by |\n|---|---|---|\n")
		controls, _, _ = strings.Cut(controls, "\n\n")
		for row := range strings.Lines(controls) {
			cells := strings.Split(strings.Trim(row, "|\n"), "|")
			tests := named.FindAllStringSubmatch(cells[len(cells)-1], -1)
			if len(cells) != 3 || len(tests) == 0 {
				t.Errorf("%s: no test shows: %s", h.title, row)
			}
			for _, test := range tests {
				if tag, found := there[test[1]]; !found || tag != tagOf(test[1]) {
					t.Errorf("%s: there is no %s, or it does not run when its name says", h.title, test[1])
				}
			}
		}
		if controls == "" {
			t.Errorf("%s has no controls", h.title)
		}
	}
}

// rated finds severity, likelihood and risk.
var rated = regexp.MustCompile(`\| (without the controls|with them) \| (\w+) \| ([A-Za-z ]+?) \| (\d) \|`)

func TestEveryHazardIsRatedByTheMatrix(t *testing.T) {
	t.Parallel()
	page := readSafety(t)
	risks := risksOf(t, page.matrix)
	for n, h := range page.hazards {
		for _, part := range []string{"**Effect.** ", "**Residual risk.** ", "**Left to the practice.** "} {
			if strings.Count(h.text, part) != 1 {
				t.Errorf("%s: say once: %s", h.title, part)
			}
		}
		ratings := rated.FindAllStringSubmatch(h.text, -1)
		if len(ratings) != 2 || ratings[0][4] < ratings[1][4] || ratings[0][2] != ratings[1][2] {
			t.Fatalf("%s is rated %q; controls change the likelihood, and not for the worse", h.title, ratings)
		}
		for _, r := range ratings {
			if want := risks[r[2]][r[3]]; r[4] != want {
				t.Errorf("%s, %s: %s and %s are a risk of %q, not %s", h.title, r[1], r[2], r[3], want, r[4])
			}
		}
		if h.number() != n+1 {
			t.Errorf("%s is hazard %d", h.title, n+1)
		}
	}
}

// risksOf reads the matrix: severity, then likelihood.
func risksOf(t *testing.T, text string) map[string]map[string]string {
	t.Helper()
	_, table, _ := strings.Cut(text, "\n| likelihood ")
	table, _, _ = strings.Cut(table, "\n\n")
	header, rows, _ := strings.Cut(table, "\n")
	risks := map[string]map[string]string{}
	severities := strings.Split(strings.Trim(header, "| "), " | ")
	for row := range strings.Lines(rows) {
		likelihood, values, is := strings.Cut(strings.Trim(row, "| \n"), ": ")
		if !is {
			continue
		}
		for n, value := range strings.Split(values, " | ")[1:] {
			if risks[severities[n]] == nil {
				risks[severities[n]] = map[string]string{}
			}
			risks[severities[n]][likelihood] = value
		}
	}
	if len(risks) != 5 {
		t.Fatalf("the matrix has %v", slices.Sorted(maps.Keys(risks)))
	}
	return risks
}

var (
	// owned finds owner, status and version of a hazard.
	owned = regexp.MustCompile(`(?m)^\*\*Owner\.\*\* ([a-z ]+)\. \*\*Status\.\*\* (open|controlled|accepted by [^.]+ on \d+ [A-Z][a-z]+ \d{4})\. \*\*Version\.\*\* (\d+)\.$`)
	// changedIn finds the hazards that a row of the versions names.
	changedIn = regexp.MustCompile(`(?m)^\| \d+ [A-Z][a-z]+ \d{4} \| ([^|]+) \| [^|]+ \|$`)
	oneOrMore = regexp.MustCompile(`^H(\d+)(?:–H(\d+))?$`)
)

// versionsOf counts the rows that name each hazard.
func versionsOf(t *testing.T, section string) map[int]int {
	t.Helper()
	versions := map[int]int{}
	for _, row := range changedIn.FindAllStringSubmatch(section, -1) {
		for some := range strings.SplitSeq(row[1], ", ") {
			found := oneOrMore.FindStringSubmatch(some)
			if found == nil {
				t.Fatalf("%q names no hazard", some)
			}
			first, _ := strconv.Atoi(found[1])
			last, err := strconv.Atoi(found[2])
			if err != nil {
				last = first
			}
			for n := first; n <= last; n++ {
				versions[n]++
			}
		}
	}
	return versions
}

// A hazard that no one owns, or whose changes nobody counts, is not looked at again. An
// open one names the control that is missing.
func TestEveryHazardHasOwnerStatusAndVersion(t *testing.T) {
	t.Parallel()
	page := readSafety(t)
	versions := versionsOf(t, page.versions)
	for _, h := range page.hazards {
		found := owned.FindAllStringSubmatch(h.text, -1)
		if len(found) != 1 {
			t.Errorf("%s: say owner, status and version once, in a line of their own", h.title)
			continue
		}
		owner, status, version := found[0][1], found[0][2], found[0][3]
		if !strings.Contains(page.versions, "\n| "+owner+" | ") {
			t.Errorf("%s: %q is no owner", h.title, owner)
		}
		if want := strconv.Itoa(versions[h.number()]); version != want {
			t.Errorf("%s is version %s, and its changes make it %s", h.title, version, want)
		}
		if missing := strings.Count(h.text, "\n**Not built.** "); (missing == 1) != (status == "open") {
			t.Errorf("%s is %s, and says %d times what is not built", h.title, status, missing)
		}
	}
	if len(versions) != len(page.hazards) {
		t.Errorf("the versions name %d hazards of %d", len(versions), len(page.hazards))
	}
}
