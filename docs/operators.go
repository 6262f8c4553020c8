package docs

import (
	"embed"
	"path"
	"regexp"
	"strings"
	"testing"
)

//go:embed operations.md operations/*.md
var operators embed.FS

var heading = regexp.MustCompile(`(?m)^#+ (.+)$`)

// OperatorsPages are operations.md and the pages beside it, by their paths below this folder.
func OperatorsPages() map[string]string {
	pages := map[string]string{}
	names := []string{"operations.md"}
	beside, err := operators.ReadDir("operations")
	if err != nil {
		panic(err)
	}
	for _, page := range beside {
		names = append(names, path.Join("operations", page.Name()))
	}
	for _, name := range names {
		text, err := operators.ReadFile(name)
		if err != nil {
			panic(err)
		}
		pages[name] = string(text)
	}
	return pages
}

// OperatorsBlocks are the blocks of lines to type, and of files, that stand below a heading
// of an operators' page such as "operations/settings.md", up to the next heading.
func OperatorsBlocks(t testing.TB, page, below string) (blocks []string) {
	t.Helper()
	at := ""
	for n, part := range strings.Split(OperatorsPages()[page], "```\n") {
		if n%2 == 1 && at == below {
			blocks = append(blocks, part)
		}
		if passed := heading.FindAllStringSubmatch(part, -1); n%2 == 0 && passed != nil {
			at = passed[len(passed)-1][1]
		}
	}
	if blocks == nil {
		t.Fatalf("%s has no block below %q", page, below)
	}
	return blocks
}
