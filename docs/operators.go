package docs

import (
	"io/fs"
	"slices"
	"strings"
)

// A Block is the text between two fences of an operators' page. Its language is its kind:
// "sh" is typed, "text" is the output of the block typed last, and any other is the content
// of a file. Its first line may name the file: "# /etc/frontdesk/frontdesk.yaml".
type Block struct {
	Below    string // the heading
	Language string // after the first fence
	Text     string // without the indentation of its fences
}

// OperatorsPages returns the pages for operators, by their paths below this folder.
func OperatorsPages() map[string]string {
	pages := map[string]string{}
	names, err := fs.Glob(Pages, "operate/*.md")
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		text, err := Pages.ReadFile(name)
		if err != nil {
			panic(err)
		}
		pages[name] = string(text)
	}
	return pages
}

// A reader is a test. The program has these pages too, and does not import package testing.
type reader interface {
	Helper()
	Fatalf(format string, args ...any)
}

// OperatorsBlocks returns the blocks below a heading of an operators' page such as
// "operate/settings.md", up to the next heading; of one language, if one is named.
func OperatorsBlocks(t reader, page, below string, language ...string) (texts []string) {
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

// Blocks returns all blocks of a page, in its order.
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
