// Package proofs reads and writes docs/contribute/nightly.md: when and at which commit each proof ran
// last, its counts and its result. `make nightly` writes it; a test of docs and `make release`
// read it.
package proofs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Page is where the table is, from the root of the repository.
const Page = "docs/contribute/nightly.md"

// Drills is where the proof of drills writes its table.
const Drills = "docs/contribute/drills.md"

// Passed is the result of a proof that holds. Any other result is the reason why it does not.
const Passed = "passed"

// Dirty ends the commit of a proof that ran with changes that were not committed.
const Dirty = "-dirty"

// Row is the last run of a proof.
type Row struct {
	Proof
	Commit  string    // its hash, shortened, with [Dirty] behind it if files differed
	At      time.Time // when it ended, to the minute
	Tried   string    // "3 kills, 200 calls", or nothing
	Result  string    // [Passed], or "failed: " and the reason
	Seconds int
}

const (
	heading = `# Proofs

` + "`make nightly`" + ` and ` + "`make prove`" + ` run these tests and fuzz targets, and write this page after each of them. A proof that tried nothing
has failed. [Test a change](tests.md#proofs) says how they run.

`
	header  = "| proof | package | commit | date (UTC) | tried | result | seconds |\n|---|---|---|---|---|---|---|\n"
	columns = 7
	minutes = "2006-01-02 15:04"
)

var count = regexp.MustCompile(`^[1-9][0-9]* \S`)

// Parse parses the page. It refuses a row without a required value, and a proof with two rows.
func Parse(page string) ([]Row, error) {
	_, table, found := strings.Cut(page, header)
	if !found {
		return nil, errors.New("the page has no table of proofs")
	}
	var rows []Row
	for line := range strings.Lines(table) {
		row, err := parseRow(line)
		if err != nil {
			return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(line))
		}
		if slices.ContainsFunc(rows, func(r Row) bool { return r.Proof == row.Proof }) {
			return nil, fmt.Errorf("%s of %s has two rows", row.Name, row.Folder)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func parseRow(line string) (Row, error) {
	line, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "| ")
	cells := strings.Split(strings.TrimSuffix(line, " |"), " | ")
	if !ok || len(cells) != columns {
		return Row{}, fmt.Errorf("a row has %d columns", columns)
	}
	at, err := time.Parse(minutes, cells[3])
	if err != nil {
		return Row{}, fmt.Errorf("read the date: %w", err)
	}
	seconds, err := strconv.Atoi(cells[6])
	if err != nil {
		return Row{}, fmt.Errorf("read the seconds: %w", err)
	}
	row := Row{
		Proof: Proof{Name: strings.Trim(cells[0], "`"), Folder: strings.Trim(cells[1], "`")}, Commit: strings.Trim(cells[2], "`"),
		At: at, Tried: strings.Trim(cells[4], "–"), Result: cells[5], Seconds: seconds,
	}
	if row.Result != Passed && !strings.HasPrefix(row.Result, "failed: ") {
		return Row{}, errors.New("a result is neither passed nor failed")
	}
	for part := range strings.SplitSeq(row.Tried, ", ") {
		if row.Tried != "" && !count.MatchString(part) {
			return Row{}, errors.New("the third cell from the end is not a list of counts")
		}
	}
	return row, nil
}

// Format returns the page of some rows, ordered by name.
func Format(rows []Row) string {
	rows = slices.SortedFunc(slices.Values(rows), func(a, b Row) int { return a.Compare(b.Proof) })
	var page strings.Builder
	page.WriteString(heading + header)
	for _, r := range rows {
		tried := r.Tried
		if tried == "" {
			tried = "–"
		}
		_, _ = fmt.Fprintf(&page, "| `%s` | `%s` | `%s` | %s | %s | %s | %d |\n",
			r.Name, r.Folder, r.Commit, r.At.UTC().Format(minutes), tried, oneCell(r.Result), r.Seconds)
	}
	return page.String()
}

// oneCell returns a text that does not end a cell or a line of a table.
func oneCell(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("|", "/", "`", "'", "<", "‹", ">", "›").Replace(text)), " ")
}

// Read returns the table of the repository in a folder. Without a page it has no rows.
func Read(root string) ([]Row, error) {
	page, err := os.ReadFile(filepath.Join(root, Page))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the table of proofs: %w", err)
	}
	rows, err := Parse(string(page))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", Page, err)
	}
	return rows, nil
}

// Write replaces the table of the repository in a folder, whole or not at all.
func Write(root string, rows []Row) error {
	next := filepath.Join(root, ".frontdesk", filepath.Base(Page))
	err := errors.Join(os.MkdirAll(filepath.Dir(next), 0o755), os.WriteFile(next, []byte(Format(rows)), 0o644))
	if err != nil {
		return fmt.Errorf("write the table of proofs: %w", err)
	}
	if err := os.Rename(next, filepath.Join(root, Page)); err != nil {
		return fmt.Errorf("replace the table of proofs: %w", err)
	}
	return nil
}

// Doubt returns why the row does not show that its proof holds, or nothing.
func (r Row) Doubt() string {
	switch {
	case r.Result != Passed:
		return r.Result
	case r.Tried == "":
		return "it tried nothing"
	}
	return ""
}

// Doubts returns why a table does not show that some proofs hold: a sentence for each that
// never ran, failed or tried nothing.
func Doubts(rows []Row, wanted []Proof) (doubts []string) {
	for _, p := range wanted {
		doubt := "it never ran"
		if at := slices.IndexFunc(rows, func(r Row) bool { return r.Proof == p }); at >= 0 {
			doubt = rows[at].Doubt()
		}
		if doubt != "" {
			doubts = append(doubts, fmt.Sprintf("%s in %s: %s", p.Name, p.Folder, doubt))
		}
	}
	return doubts
}
