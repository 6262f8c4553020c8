package docs_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const asvsPage = "security/asvs.md"

// requirement is a row of the ASVS page.
type requirement struct{ number, level, subject, state, shown, remark string }

var requirementRow = regexp.MustCompile(`(?m)^\| (\d+\.\d+\.\d+) \| (.*) \|$`)

// requirements returns the rows of the ASVS page, and its list of deviations.
func requirements(t *testing.T) (rows []requirement, deviations string) {
	t.Helper()
	page := read(t, asvsPage)
	list, chapters, found := strings.Cut(page, "\n## V1. ")
	_, deviations, listed := strings.Cut(list, "\n## Deviations\n")
	if !found || !listed {
		t.Fatal("the page has no chapters, or no list of deviations")
	}
	for _, row := range requirementRow.FindAllStringSubmatch(chapters, -1) {
		cells := strings.Split(row[2], " | ")
		if len(cells) != 5 {
			t.Fatalf("%s has %d cells besides its number", row[1], len(cells))
		}
		rows = append(rows, requirement{row[1], cells[0], cells[1], cells[2], strings.TrimSpace(cells[3]), strings.TrimSpace(cells[4])})
	}
	return rows, deviations
}

// The page has the requirements of levels 1 and 2, and those of level 3 about authentication
// and sessions, in the order of the standard.
func TestASVSPageIsComplete(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("testdata/asvs/requirements.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows, _ := requirements(t)
	var found []string
	for _, r := range rows {
		found = append(found, r.number+"\t"+r.level)
	}
	want := strings.Split(strings.TrimSpace(string(list)), "\n")
	if len(want) != 266 {
		t.Errorf("the list has %d requirements", len(want))
	}
	for _, missing := range want {
		if !slices.Contains(found, missing) {
			t.Errorf("the page lacks requirement and level %s", missing)
		}
	}
	if !slices.Equal(found, want) {
		t.Error("the page has other requirements, or another order, than testdata/asvs/requirements.tsv")
	}
}

// Each row is met, and says by what; or it is not applicable or a deviation, and says why.
func TestASVSPageHasNoOpenRow(t *testing.T) {
	t.Parallel()
	rows, deviations := requirements(t)
	states := map[string]int{}
	for _, r := range rows {
		states[r.state]++
		switch {
		case r.subject == "":
			t.Errorf("%s has no subject", r.number)
		case r.state == "met" && r.shown == "":
			t.Errorf("%s is met, and nothing shows it", r.number)
		case r.state == "not applicable" && (r.remark == "" || r.shown != ""):
			t.Errorf("%s is not applicable: say why, and nothing else", r.number)
		case r.state == "deviation" && r.remark == "":
			t.Errorf("%s is a deviation, and nothing says why", r.number)
		}
		if named := regexp.MustCompile(`[| ]` + regexp.QuoteMeta(r.number) + `[ ,]`).MatchString(deviations); named != (r.state == "deviation") {
			t.Errorf("%s is %s, and the list of deviations differs", r.number, r.state)
		}
	}
	for state := range maps.Keys(states) {
		if !slices.Contains([]string{"met", "not applicable", "deviation"}, state) {
			t.Errorf("%d requirements are %q", states[state], state)
		}
	}
}

// A test that shows a requirement exists, and runs when its name says; so does each file.
func TestASVSPageNamesTestsAndFiles(t *testing.T) {
	t.Parallel()
	there := sources(t)
	rows, _ := requirements(t)
	for _, r := range rows {
		for _, by := range inCode.FindAllStringSubmatch(r.shown, -1) {
			if !isTest.MatchString(by[1]) {
				if _, err := os.Stat(filepath.Join("..", by[1])); err != nil {
					t.Errorf("%s: %v", r.number, err)
				}
			} else if tag, found := there[by[1]]; !found || tag != tagOf(by[1]) {
				t.Errorf("%s: there is no %s, or it does not run when its name says", r.number, by[1])
			}
		}
		for _, link := range linked.FindAllStringSubmatch(r.shown, -1) {
			file, _, _ := strings.Cut(link[1], "#")
			if _, err := os.Stat(filepath.Join(filepath.Dir(asvsPage), file)); err != nil {
				t.Errorf("%s: %v", r.number, err)
			}
		}
		if left := inCode.ReplaceAllString(markdownLink.ReplaceAllString(r.shown, ""), ""); strings.Trim(left, ", ") != "" {
			t.Errorf("%s: neither a test nor a file: %q", r.number, left)
		}
	}
}

var isTest = regexp.MustCompile(`^(Test|Fuzz)[A-Z]`)

var markdownLink = regexp.MustCompile(`\[[^\]]*\]\([^)]*\)`)
