package docs_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"frontdesk/.ci/tree"
)

var updateDecisions = flag.Bool("update-decisions", false, "write what is derived in decisions/: links, statuses, the index")

// userPages are folders of pages for people who do not change frontdesk.
var userPages = []string{"integrate", "operate", "practice", "privacy", "audit"}

const decisionIndex = "decisions/README.md"

// A decision is one file of decisions/. The number is in the name and in the heading.
type decision struct {
	file, title, date, subject, status string
	amends                             []int
	front, body                        string // body without the definitions of links
}

var (
	decisionFile  = regexp.MustCompile(`^(\d{4})-[a-z0-9-]+\.md$`)
	decisionTitle = regexp.MustCompile(`(?m)^# D(\d+)\. (.+)$`)
	definition    = regexp.MustCompile(`(?m)^\[D\d+\]: .*\n`)
	mentioned     = regexp.MustCompile(`\[D(\d+)\]`)
	decisionNamed = regexp.MustCompile(`\bD(\d{1,3})\b`)
	clauseNamed   = regexp.MustCompile(`§(\d+(?:\.\d+)?)`)
	codeSpan      = regexp.MustCompile("`[^`\n]*`")
	frontMatter   = regexp.MustCompile(`(?s)^---\n(.*?)\n---\n`)
)

// Statuses, the index, and where links to decisions lead follow from the decisions.
func TestDecisionsAreUpToDate(t *testing.T) {
	t.Parallel()
	all := decisions(t)
	files := derived(all)
	for _, page := range pagesOf(t) {
		if filepath.Dir(page) == "decisions" {
			continue
		}
		if text, err := os.ReadFile(page); err != nil {
			t.Fatal(err)
		} else if mentioned.Match(text) {
			files[page] = linkedPage(t, all, page, string(text))
		}
	}
	for file, want := range files {
		if *updateDecisions {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is out of date (%v): run with -update-decisions", file, err)
		}
	}
}

// Each decision has the parts that a reader looks for.
func TestDecisionsHaveTheirParts(t *testing.T) {
	t.Parallel()
	all := decisions(t)
	for n, d := range all {
		if !regexp.MustCompile(`^\d{4}-\d\d-\d\d$`).MatchString(d.date) {
			t.Errorf("%s: the date %q is no date", d.file, d.date)
		}
		if !slices.Contains(subjects, d.subject) {
			t.Errorf("%s: the subject %q is not one of %q", d.file, d.subject, subjects)
		}
		for _, part := range []string{"\n## Decision\n", "\n## Rejected\n"} {
			if !strings.Contains(d.body, part) {
				t.Errorf("%s has no %q", d.file, strings.TrimSpace(part))
			}
		}
		for _, older := range d.amends {
			if all[older] == nil || older >= n {
				t.Errorf("%s amends D%d, which is no earlier decision", d.file, older)
			}
		}
	}
}

// The numbers of decisions are for people who change frontdesk. Pages for users give the reason in words.
func TestUserPagesNameNoDecisions(t *testing.T) {
	t.Parallel()
	for _, page := range pagesOf(t) {
		if folder := filepath.Dir(page); !slices.Contains(userPages, folder) {
			continue
		}
		text := codeSpan.ReplaceAllString(read(t, page), "")
		if found := mentioned.FindString(text); found != "" {
			t.Errorf("%s names %s", page, found)
		}
	}
}

// A number that code or a page names leads to a decision.
func TestNamedDecisionsExist(t *testing.T) {
	t.Parallel()
	all := decisions(t)
	files, err := tree.Files(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	names := 0
	for _, file := range files {
		if !namesDecisions(file) {
			continue
		}
		text, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`(?:\b|_)D(\d{1,3})\b`).FindAllSubmatch(text, -1) {
			names++
			if n, _ := strconv.Atoi(string(found[1])); all[n] == nil {
				t.Errorf("%s names D%d, which is no decision", file, n)
			}
		}
	}
	if names < 1000 {
		t.Errorf("found only %d", names)
	}
}

// namesDecisions leaves out files in which the letter D and a number have other meanings.
func namesDecisions(file string) bool {
	return !strings.Contains(file, "testdata") && slices.Contains([]string{".go", ".md", ".feature", ".sql"}, filepath.Ext(file))
}

// subjects are the sections of the index, in its order.
var subjects = []string{
	"Order of checks", "Tokens", "Authorisation", "Request bodies", "Practice", "Authorise page and sign-in", "Webhooks",
	"Names, times and records", "Staff accounts", "Staff pages", "Personal data", "Proofs", "Integrators", "Event store",
	"Performance", "Load and failures", "Broker and failover", "Operations", "Code structure", "Tests",
}

func decisions(t *testing.T) map[int]*decision {
	t.Helper()
	entries, err := os.ReadDir("decisions")
	if err != nil {
		t.Fatal(err)
	}
	all := map[int]*decision{}
	for _, entry := range entries {
		if entry.Name() == filepath.Base(decisionIndex) {
			continue
		}
		n, d := readDecision(t, entry)
		if all[n] != nil {
			t.Fatalf("%s and %s have one number", all[n].file, d.file)
		}
		all[n] = d
	}
	return all
}

func readDecision(t *testing.T, entry fs.DirEntry) (int, *decision) {
	t.Helper()
	name := decisionFile.FindStringSubmatch(entry.Name())
	file := filepath.Join("decisions", entry.Name())
	text, err := os.ReadFile(file)
	if name == nil || err != nil {
		t.Fatalf("%s is no decision: %v", file, err)
	}
	front := frontMatter.FindStringSubmatch(string(text))
	heading := decisionTitle.FindStringSubmatch(string(text))
	if front == nil || heading == nil {
		t.Fatalf("%s has no front matter or no heading", file)
	}
	n, _ := strconv.Atoi(name[1])
	if heading[1] != strconv.Itoa(n) {
		t.Errorf("%s has the heading of D%s", file, heading[1])
	}
	d := &decision{file: file, title: heading[2], front: front[1]}
	d.body = strings.TrimRight(definition.ReplaceAllString(string(text[len(front[0]):]), ""), "\n") + "\n"
	for line := range strings.Lines(front[1]) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "status":
			d.status = value
		case "date":
			d.date = value
		case "subject":
			d.subject = value
		case "amends":
			d.amends = numbers(decisionNamed.FindAllStringSubmatch(value, -1))
		default:
			t.Errorf("%s has an unknown line %q", file, line)
		}
	}
	return n, d
}

func numbers(found [][]string) (all []int) {
	for _, one := range found {
		n, _ := strconv.Atoi(one[1])
		all = append(all, n)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// derived returns the files as they should be.
func derived(all map[int]*decision) map[string][]byte {
	amended := map[int][]string{}
	for _, n := range slices.Sorted(maps.Keys(all)) {
		for _, older := range all[n].amends {
			amended[older] = append(amended[older], "D"+strconv.Itoa(n))
		}
	}
	files := map[string][]byte{decisionIndex: indexOf(all, amended)}
	for n, d := range all {
		files[d.file] = fmt.Appendf(nil, "---\n%s\n---\n%s%s", frontOf(d, amended[n]), d.body, definitionsOf(all, d.body, ""))
	}
	return files
}

func frontOf(d *decision, amendedBy []string) string {
	lines := []string{"status: " + statusOf(d, amendedBy), "date: " + d.date, "subject: " + d.subject}
	if len(d.amends) > 0 {
		lines = append(lines, "amends: "+join(d.amends))
	}
	return strings.Join(lines, "\n")
}

// statusOf keeps a decision that is superseded: its successor says so in its text.
func statusOf(d *decision, amendedBy []string) string {
	if strings.HasPrefix(d.status, "superseded by ") {
		return d.status
	}
	if len(amendedBy) > 0 {
		return "amended by " + strings.Join(amendedBy, ", ")
	}
	return "accepted"
}

func join(all []int) string {
	var names []string
	for _, n := range all {
		names = append(names, "D"+strconv.Itoa(n))
	}
	return strings.Join(names, ", ")
}

// linkedPage returns a page, not itself a decision, with the definitions of its links.
func linkedPage(t *testing.T, all map[int]*decision, page, text string) []byte {
	t.Helper()
	way, err := filepath.Rel(filepath.Join("docs", filepath.Dir(page)), filepath.Join("docs", "decisions"))
	if err != nil {
		t.Fatal(err)
	}
	text = strings.TrimRight(definition.ReplaceAllString(text, ""), "\n") + "\n"
	return []byte(text + definitionsOf(all, text, way+"/"))
}

// definitionsOf returns where the links of a text lead.
func definitionsOf(all map[int]*decision, text, way string) string {
	var lines strings.Builder
	for _, n := range numbers(mentioned.FindAllStringSubmatch(text, -1)) {
		if all[n] != nil {
			fmt.Fprintf(&lines, "\n[D%d]: %s%s", n, way, filepath.Base(all[n].file))
		}
	}
	if lines.Len() == 0 {
		return ""
	}
	return lines.String() + "\n"
}

const indexHead = `# Decisions

Where the specification of the Transactional API is silent, or can be read in two ways, a decision says what frontdesk does.
Each has one file, with its status, its date and the alternatives that were rejected. ` + "`§n`" + ` is a section of the specification.
Tests name the decisions that they show: ` + "`grep -rn '_D12\\b' --include=*_test.go .`" + ` finds those of D12.

This page is written by ` + "`go test ./docs -run Decisions -update-decisions`" + `, which also writes statuses and links.
To add a decision, copy a file, take the next number, and run it. A decision that changes an earlier one has a line
` + "`amends: D12`" + `.
`

func indexOf(all map[int]*decision, amended map[int][]string) []byte {
	var page bytes.Buffer
	page.WriteString(indexHead)
	order := slices.Sorted(maps.Keys(all))
	for _, subject := range subjects {
		fmt.Fprintf(&page, "\n## %s\n\n| decision | status | date |\n|---|---|---|\n", subject)
		for _, n := range order {
			if d := all[n]; d.subject == subject {
				fmt.Fprintf(&page, "| [D%d. %s](%s) | %s | %s |\n", n, d.title, filepath.Base(d.file), statusOf(d, amended[n]), d.date)
			}
		}
	}
	page.WriteString("\n## By clause of the specification\n\n| clause | decisions |\n|---|---|\n")
	clauses := byClause(all)
	for _, clause := range slices.SortedFunc(maps.Keys(clauses), compareClauses) {
		var links []string
		for _, n := range clauses[clause] {
			links = append(links, fmt.Sprintf("[D%d](%s)", n, filepath.Base(all[n].file)))
		}
		fmt.Fprintf(&page, "| §%s | %s |\n", clause, strings.Join(links, ", "))
	}
	return page.Bytes()
}

func byClause(all map[int]*decision) map[string][]int {
	clauses := map[string][]int{}
	for _, n := range slices.Sorted(maps.Keys(all)) {
		for _, found := range clauseNamed.FindAllStringSubmatch(all[n].body, -1) {
			if !slices.Contains(clauses[found[1]], n) {
				clauses[found[1]] = append(clauses[found[1]], n)
			}
		}
	}
	return clauses
}

func compareClauses(a, b string) int {
	major, minor, _ := strings.Cut(a, ".")
	otherMajor, otherMinor, _ := strings.Cut(b, ".")
	number := func(text string) int { n, _ := strconv.Atoi(text); return n }
	return cmp.Or(cmp.Compare(number(major), number(otherMajor)), cmp.Compare(number(minor), number(otherMinor)))
}
