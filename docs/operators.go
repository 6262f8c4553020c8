package docs

import (
	"embed"
	"path"
	"slices"
	"strings"
	"testing"
)

//go:embed operations.md operations/*.md
var operators embed.FS

// A Block is what stands between two fences of an operators' page, which say what it is:
// "sh" is typed, "text" is what is printed by what was typed last, and anything else is
// what a file holds. Its first line may name the file: "# /etc/frontdesk/frontdesk.yaml".
type Block struct {
	Below    string // the heading
	Language string // as it is written behind the first fence
	Text     string // without the indentation of its fences
}

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

// OperatorsBlocks are the blocks that stand below a heading of an operators' page such as
// "operations/settings.md", up to the next heading; of one language, if one is named.
func OperatorsBlocks(t testing.TB, page, below string, language ...string) (texts []string) {
	t.Helper()
	for _, b := range Blocks(OperatorsPages()[page]) {
		if b.Below == below && (language == nil || slices.Contains(language, b.Language)) {
			texts = append(texts, b.Text)
		}
	}
	if texts == nil {
		t.Fatalf("%s has no block of %v below %q", page, language, below)
	}
	return texts
}

// Blocks are all blocks of a page, in its order.
func Blocks(page string) (blocks []Block) {
	below, indent, open := "", "", (*Block)(nil)
	for line := range strings.Lines(page) {
		fence := strings.TrimLeft(line, " ")
		language, isFence := strings.CutPrefix(strings.TrimRight(fence, "\n"), "```")
		switch title, isHeading := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); {
		case isFence && open == nil:
			indent = line[:len(line)-len(fence)]
			open = &Block{Below: below, Language: language}
		case isFence:
			blocks, open = append(blocks, *open), nil
		case open != nil:
			open.Text += strings.TrimPrefix(line, indent)
		case isHeading && strings.HasPrefix(line, "#"):
			below = strings.TrimSpace(title)
		}
	}
	return blocks
}
