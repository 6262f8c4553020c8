package docs_test

import (
	"slices"
	"strings"
	"testing"

	"frontdesk/docs"
)

// Only what is called lines to type is typed by a test, so a block that says nothing of itself
// would be forgotten.
func TestEachBlockOfTheOperatorsPagesSaysWhatItIs_D113(t *testing.T) {
	t.Parallel()
	known := []string{"sh", "text", "log", "console", "yaml", "ini", "nginx"}
	for page, text := range docs.OperatorsPages() {
		blocks := docs.Blocks(text)
		for _, b := range blocks {
			if !slices.Contains(known, b.Language) {
				t.Errorf("%s: a block below %q says %q of itself, which is none of %v", page, b.Below, b.Language, known)
			}
		}
		if fences := strings.Count(text, "```"); fences != 2*len(blocks) {
			t.Errorf("%s has %d fences and %d blocks", page, fences, len(blocks))
		}
	}
}
