package docs_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frontdesk/docs"
)

var (
	diagram     = regexp.MustCompile("(?s)```mermaid\n(.*?)```")
	diagramText = regexp.MustCompile(`(?m)^\s*accTitle: \S.*\n\s*accDescr: \S`)
)

// diagrams returns the pages that have diagrams, with their number.
func diagrams(t *testing.T) map[string]int {
	t.Helper()
	pages := map[string]int{}
	for _, page := range pagesOf(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(diagram.FindAllString(string(text), -1)); n > 0 {
			pages[page] = n
		}
	}
	return pages
}

// drawnFolder has the diagrams that the site shows, as SVG.
const drawnFolder = "diagrams"

// drawnDiagram is a diagram of a page.
type drawnDiagram struct{ page, source string }

// file is its picture, which the site finds by its title.
func (d drawnDiagram) file() string {
	title := regexp.MustCompile(`accTitle: (.+)`).FindStringSubmatch(d.source)
	return filepath.Join(drawnFolder, docs.DiagramFile(title[1]))
}

// mark is the first line of the picture: it names the source.
func (d drawnDiagram) mark() string {
	return fmt.Sprintf("<!-- %x -->\n", sha256.Sum256([]byte(d.source)))
}

func allDiagrams(t *testing.T) (all []drawnDiagram) {
	t.Helper()
	for _, page := range slices.Sorted(maps.Keys(diagrams(t))) {
		text, err := os.ReadFile(page)
		must(t, err)
		for _, found := range diagram.FindAllStringSubmatch(string(text), -1) {
			all = append(all, drawnDiagram{page, found[1]})
		}
	}
	return all
}

// The site shows a picture of each diagram, drawn from its present source.
func TestSiteHasDiagrams(t *testing.T) {
	t.Parallel()
	files := map[string]bool{}
	for _, d := range allDiagrams(t) {
		files[d.file()] = true
		if text, err := os.ReadFile(d.file()); err != nil || !strings.HasPrefix(string(text), d.mark()) {
			t.Errorf("%s: %s is not drawn from its source: run go test -tags walk ./docs -run DiagramsAreDrawn -update-diagrams (%v)", d.page, d.file(), err)
		}
	}
	drawn, err := filepath.Glob(drawnFolder + "/*")
	must(t, err)
	if len(drawn) != len(files) {
		t.Errorf("%s has %d files for %d diagrams", drawnFolder, len(drawn), len(files))
	}
}

// People who cannot see a diagram read its description.
func TestDiagramsAreDescribed(t *testing.T) {
	t.Parallel()
	all := 0
	for page, n := range diagrams(t) {
		all += n
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range diagram.FindAllStringSubmatch(string(text), -1) {
			if !diagramText.MatchString(found[1]) {
				t.Errorf("%s: a diagram lacks accTitle or accDescr:\n%s", page, found[1])
			}
		}
	}
	if all < 8 {
		t.Errorf("there are %d diagrams", all)
	}
}

var picture = regexp.MustCompile(`!\[([^\]]*)\]\(`)

// People who cannot see a picture read its text.
func TestPicturesHaveAlternativeTexts(t *testing.T) {
	t.Parallel()
	all := 0
	for _, page := range pagesOf(t) {
		for _, found := range picture.FindAllStringSubmatch(read(t, page), -1) {
			if all++; len(found[1]) < 10 {
				t.Errorf("%s: the picture %q has no alternative text", page, found[1])
			}
		}
	}
	if all < 5 {
		t.Errorf("there are %d pictures", all)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
