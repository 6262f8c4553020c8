package docs_test

import (
	"os"
	"regexp"
	"testing"
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
