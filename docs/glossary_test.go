package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	inColumn = regexp.MustCompile("`([a-z0-9/]+/[a-z0-9]+|commands|projections)(?:\\.([A-Z]\\w*))?`")
	ofRow    = regexp.MustCompile(`(?m)^\| .* \| (.*) \|$`)
)

// The glossary names code that exists.
func TestGlossaryNamesCode(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	names := 0
	for _, row := range ofRow.FindAllStringSubmatch(string(page), -1) {
		for _, name := range inColumn.FindAllStringSubmatch(row[1], -1) {
			names++
			if !declares(t, filepath.Join("..", name[1]), name[2]) {
				t.Errorf("there is no %s", name[0])
			}
		}
	}
	if rows := strings.Count(string(page), "\n| ") - 5; names < rows {
		t.Errorf("%d rows name %d places in the code", rows, names)
	}
}

// declares reports whether a package declares an exported name, or exists if the name is empty.
func declares(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	if name == "" {
		return len(files) > 0
	}
	declared := regexp.MustCompile(`(?m)^(?:func|type|var|const) ` + name + `\b`)
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file, "_test.go") && declared.Match(source) {
			return true
		}
	}
	return false
}
