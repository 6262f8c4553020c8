package docs_test

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// integratorsPages are typed into one shell, one after the other.
var integratorsPages = []string{
	"integrate/quickstart.md", "integrate/client-packages.md", "integrate/register-an-application.md", "integrate/authentication.md",
	"integrate/authorise-staff.md", "integrate/requests-and-files.md", "integrate/retries-and-limits.md", "integrate/diagnose.md",
	"integrate/checkpoints.md", "integrate/webhooks.md", "integrate/test-your-integration.md", "integrate/sandbox.md",
}

// snippet is a fenced block of the page.
type snippet struct{ language, text string }

func snippets(t *testing.T, page string) (all []snippet) {
	t.Helper()
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	inside := false
	for line := range strings.Lines(string(data)) {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && !inside:
			all = append(all, snippet{language: strings.TrimSpace(fence)})
			inside = true
		case isFence:
			inside = false
		case inside:
			all[len(all)-1].text += line
		}
	}
	return slices.DeleteFunc(all, func(s snippet) bool { return s.language == "mermaid" }) // a diagram is parsed by another test
}

func TestEverySnippetOfPagesIsRun(t *testing.T) {
	t.Parallel()
	for _, page := range integratorsPages {
		for _, s := range snippets(t, page) {
			if s.language != "sh" {
				t.Errorf("nothing runs a snippet in %q of %s", s.language, page)
			}
		}
	}
}
