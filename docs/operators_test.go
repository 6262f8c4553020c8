package docs_test

import (
	"slices"
	"strings"
	"testing"

	"frontdesk/docs"
)

// Tests type only the blocks that are marked as lines to type, so an unmarked block would
// not be tested.
func TestOperatorsBlocksHaveKnownLanguage_D113(t *testing.T) {
	t.Parallel()
	known := []string{"sh", "text", "log", "console", "yaml", "ini", "nginx", "mermaid"}
	for page, text := range docs.OperatorsPages() {
		blocks := docs.Blocks(text)
		for _, b := range blocks {
			if !slices.Contains(known, b.Language) {
				t.Errorf("%s: a block below %q has the language %q, which is none of %v", page, b.Below, b.Language, known)
			}
		}
		if fences := strings.Count(text, "```"); fences != 2*len(blocks) {
			t.Errorf("%s has %d fences and %d blocks", page, fences, len(blocks))
		}
	}
}
