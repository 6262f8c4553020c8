package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres/postgrestest"
)

var quoted = regexp.MustCompile("`([a-z_]+)`")

// A table without a retention period is kept for ever.
func TestEveryTableHasRetentionPeriod_D72(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("privacy/retention.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Tables\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var listed []string
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); len(cells) > 4 {
			for _, name := range quoted.FindAllStringSubmatch(cells[1], -1) {
				listed = append(listed, name[1])
			}
		}
	}
	rows, _ := postgrestest.New(t).AdminPool(t).Query(t.Context(), `
		SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'm', 'f') AND NOT relispartition`)
	there, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(listed)
	slices.Sort(there)
	if diff := cmp.Diff(there, listed); diff != "" {
		t.Errorf("docs/privacy/retention.md must list each table with its period (-there +listed):\n%s", diff)
	}
}

// writers are the packages that write files, and which of the page's rows those are in.
// Tests' files are in none.
var writers = map[string]string{
	"adapters/durable":               "", // for the others
	"adapters/backup":                "backup create",
	"adapters/ledger":                "--erasure-ledger",
	"adapters/statedir":              "--state",
	"adapters/postgres/retention":    "--archive",
	"adapters/postgres/embedded":     "--dir",
	"adapters/postgres/postgrestest": "",
	"adapters/webhooks/receiver":     "--dir",
	"domain/event/eventtest":         "",
	"adapters/sealing":               "--master-key-file",
	"client/go":                      "token keygen",
	"cmd/frontdesk/alerting":         "",
	"cmd/frontdesk/cli/audit":        "--out",
	"cmd/frontdesk/cli/clitest":      "",
	"cmd/frontdesk/cli/practice":     "--links",
	"cmd/frontdesk/cli/term":         "--out",
	"cmd/frontdesk/devkit/dev":       "--key-dir",
	"cmd/frontdesk/devkit/reference": "make site",
	"cmd/frontdesk/devkit/sandbox":   "--dir",
}

var writes = regexp.MustCompile(`\b(os\.(Create|CreateTemp|WriteFile|OpenFile|MkdirAll|Mkdir)|durable\.(Create|Replace|Hold|TryLock))\(`)

func TestEveryFileWriterIsListed_D72(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("privacy/retention.md")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	err = filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "../.ci") {
			return err
		}
		text, err := os.ReadFile(path)
		if writes.Match(text) {
			found[filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), "../"))] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder := range found {
		if row, known := writers[folder]; !known && !strings.HasPrefix(folder, "bench/") {
			t.Errorf("%s writes files: write in docs/privacy/retention.md how long they are kept", folder)
		} else if !strings.Contains(string(page), row) {
			t.Errorf("docs/privacy/retention.md does not mention %s", row)
		}
	}
	for folder := range writers {
		if !found[folder] {
			t.Errorf("%s no longer writes a file", folder)
		}
	}
}
