package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	linked  = regexp.MustCompile(`(?m)\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$`)
	headed  = regexp.MustCompile(`(?m)^#+ (.+)$`)
	fenced  = regexp.MustCompile("(?s)\n *```.*?\n *```")
	noPlace = regexp.MustCompile(`[^\pL\pN _-]`)
)

// Each link of a page leads to a file, and to a heading there, if it names one.
func TestEveryLinkHasTarget(t *testing.T) {
	t.Parallel()
	for _, page := range pagesOf(t) {
		for _, link := range linked.FindAllStringSubmatch(read(t, page), -1) {
			if target := link[1] + link[2]; !strings.Contains(target, "://") && !strings.HasPrefix(target, "mailto:") {
				leads(t, page, target)
			}
		}
	}
}

// pagesOf returns the files of all pages.
func pagesOf(t *testing.T) (pages []string) {
	t.Helper()
	for _, folder := range []string{"..", ".", "integrate", "operate", "practice", "privacy", "audit", "safety", "explain", "contribute", "decisions", "../features", "security", "errors", "examples/*", "../client/*"} {
		found, err := filepath.Glob(filepath.Join(folder, "*.md"))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	if len(pages) < 30 {
		t.Fatalf("these are all pages: %v", pages)
	}
	return pages
}

// read is a page without its blocks, in which nothing is a link or a heading.
func read(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return fenced.ReplaceAllString(string(text), "")
}

func leads(t *testing.T, page, link string) {
	t.Helper()
	name, place, _ := strings.Cut(link, "#")
	file := filepath.Join(filepath.Dir(page), name)
	if name == "" {
		file = page
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("%s links to %s: %v", page, link, err)
		return
	}
	if place == "" {
		return
	}
	for _, found := range headed.FindAllStringSubmatch(read(t, file), -1) {
		if anchor(found[1]) == place {
			return
		}
	}
	t.Errorf("%s links to %s, which has no such heading", page, link)
}

// anchor returns the fragment of an address that leads to a heading.
func anchor(heading string) string {
	return strings.ReplaceAll(noPlace.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}
