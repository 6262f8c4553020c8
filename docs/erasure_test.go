package docs_test

import (
	"os"
	"strings"
	"testing"

	"frontdesk/domain/erasure"
)

// Practices repeat a page's promises to the person who asked for the erasure, so no page may
// promise more than an erasure does.
func TestPagesStateReachOfErasure(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"practice/guide.md", "privacy/retention.md", "operate/erase-a-person.md", "privacy/impact-assessment.md", "safety/hazard-log.md", "security/residual-risks.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), erasure.Reach) {
			t.Errorf("%s lacks the sentence: %s", page, erasure.Reach)
		}
	}
}
