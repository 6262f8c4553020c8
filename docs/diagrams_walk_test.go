//go:build walk

package docs_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var mermaid = npm("testdata/mermaid")

// Mermaid parses each diagram.
func TestWalkDiagramsAreParsed(t *testing.T) {
	t.Parallel()
	parser, err := mermaid()
	if err != nil {
		t.Fatal(err)
	}
	want, arguments := 0, []string{filepath.Join(parser, "parse.mjs")}
	for _, page := range slices.Sorted(maps.Keys(diagrams(t))) {
		want += diagrams(t)[page]
		file, err := filepath.Abs(page)
		if err != nil {
			t.Fatal(err)
		}
		arguments = append(arguments, file)
	}
	if got := strings.Count(output(t, "", parser, "node", arguments...), "\n"); got != want {
		t.Errorf("it parsed %d diagrams, not %d", got, want)
	}
}
