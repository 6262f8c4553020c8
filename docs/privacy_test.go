package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const papersIndex = "privacy/README.md"

// papers returns the papers for practices, without their index.
func papers(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("privacy/*.md")
	if err != nil {
		t.Fatal(err)
	}
	found = slices.DeleteFunc(found, func(name string) bool {
		return name == papersIndex || !strings.Contains(read(t, name), "**[Fill in: ") // a page about a task has nothing to fill in
	})
	if len(found) < 8 {
		t.Fatalf("these are all papers: %v", found)
	}
	return found
}

var paperRow = regexp.MustCompile(`(?m)^\| \d+\. \[[^\]]+\]\(([a-z-]+\.md)\) \|.*\| (\d+) \|$`)

// The index lists each paper once, and says how many places a practice has to fill in.
func TestIndexListsPapers(t *testing.T) {
	t.Parallel()
	listed := map[string]string{}
	for _, row := range paperRow.FindAllStringSubmatch(read(t, papersIndex), -1) {
		if listed["privacy/"+row[1]] != "" {
			t.Errorf("%s is listed twice", row[1])
		}
		listed["privacy/"+row[1]] = row[2]
	}
	all := papers(t)
	for _, paper := range all {
		if want := strconv.Itoa(strings.Count(read(t, paper), "**[Fill in: ")); listed[paper] != want {
			t.Errorf("the index lists %s with %q places to fill in, not %s", paper, listed[paper], want)
		}
	}
	if len(listed) != len(all) {
		t.Errorf("the index lists %d papers, and the folder has %d", len(listed), len(all))
	}
}

// A place that has another form is not found by those who search for it.
func TestPlacesToFillInHaveOneForm(t *testing.T) {
	t.Parallel()
	for _, paper := range papers(t) {
		text := read(t, paper)
		if strings.Count(strings.ToLower(text), "fill in") != strings.Count(text, "**[Fill in: ") {
			t.Errorf("%s has a place to fill in that is not **[Fill in: …]**", paper)
		}
	}
}

// A paper promises a practice's patients what the program does, so each statement that names
// a test, a file or a command names one that exists.
func TestPapersNameTestsFilesAndCommands(t *testing.T) {
	t.Parallel()
	there, commands, named := sources(t), read(t, "operate/commands.md"), 0
	for _, paper := range append(papers(t), papersIndex) {
		for _, found := range inCode.FindAllStringSubmatch(read(t, paper), -1) {
			name := found[1]
			switch {
			case isTest.MatchString(name):
				named++
				if tag, exists := there[name]; !exists || tag != tagOf(name) {
					t.Errorf("%s: there is no %s, or it does not run when its name says", paper, name)
				}
			case strings.HasPrefix(name, "frontdesk "):
				if !isCommand(commands, name) {
					t.Errorf("%s: there is no command %s", paper, name)
				}
			case strings.Contains(name, "/"):
				if _, err := os.Stat(filepath.Join("..", name)); err != nil {
					t.Errorf("%s: %v", paper, err)
				}
			}
		}
	}
	if named < 100 {
		t.Errorf("the papers name %d tests", named)
	}
}

// isCommand reports whether a line begins with a command of the page of commands.
func isCommand(page, line string) bool {
	words := strings.Fields(line)
	for n := min(len(words), 3); n > 1; n-- {
		if strings.Contains(page, "| `"+strings.Join(words[:n], " ")+"` |") {
			return true
		}
	}
	return false
}

// columnOfProof is the heading of the cells that show a statement about the program.
const columnOfProof = "shown by"

// mayLackProof are beginnings of statements that are not about the program.
var mayLackProof = regexp.MustCompile(`^(nothing|\*\*\[Fill in: |\*\*Missing\*\*|For an NHS practice: |Staff who care |Article \d|not applicable|frontdesk$|count )`)

// In a table with a column "shown by", each row names a test, a file or a page there.
func TestStatementsOfPapersAreShown(t *testing.T) {
	t.Parallel()
	rows := 0
	for _, paper := range papers(t) {
		column := -1
		for line := range strings.Lines(read(t, paper)) {
			cells := strings.Split(strings.TrimSuffix(line, "\n"), " | ")
			switch at := slices.Index(trimmed(cells), columnOfProof); {
			case !strings.HasPrefix(line, "|"):
				column = -1
			case at >= 0:
				column = at
			case column >= 0 && !strings.HasPrefix(line, "|--"):
				rows++
				if column >= len(cells) {
					t.Errorf("%s: the row has %d cells: %s", paper, len(cells), line)
				} else if proof := cells[column]; !inCode.MatchString(proof) && !linked.MatchString(proof) && !mayLackProof.MatchString(cells[1]) {
					t.Errorf("%s: nothing shows: %s", paper, line)
				}
			}
		}
	}
	if rows < 120 {
		t.Errorf("the papers have %d statements", rows)
	}
}

// trimmed are the texts of the cells of a row.
func trimmed(cells []string) (texts []string) {
	for _, cell := range cells {
		texts = append(texts, strings.Trim(cell, "| "))
	}
	return texts
}
