package refusals_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"frontdesk/adapters/bearer"
	"frontdesk/cmd/frontdesk/devkit/refusals"
	"frontdesk/domain/access"
)

func TestOfEachCodeEverythingIsSaid_D92(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, code := range refusals.Codes() {
		if code.Status < 400 || code.Happened == "" || code.Wanted == "" || code.Do == "" || code.Retry == "" || seen[code.Code] {
			t.Errorf("%+v lacks something, or is there twice", code)
		}
		seen[code.Code] = true
		for _, sentence := range code.Sentences {
			if sentence.Do == "" {
				t.Errorf("%s: %q has no fix", code.Code, sentence.Text)
			}
		}
	}
}

// Two refusals with one reason would have one advice.
func TestEachReasonAndRuleHasOneRefusal_D92(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	add := func(name string) {
		if seen[name] {
			t.Errorf("%s is the name of two refusals", name)
		}
		seen[name] = true
	}
	for _, refusal := range bearer.Refusals() {
		add(string(refusal.Reason))
	}
	for _, refusal := range access.Refusals() {
		add(string(refusal.Rule))
	}
}

// filled is a sentence as a caller receives it.
func filled(sentence string) string {
	return regexp.MustCompile(`%(\[\d\])?[sdv]`).ReplaceAllString(sentence, "iat")
}

func TestEveryRefusalHasAdvice_D92(t *testing.T) {
	t.Parallel()
	for _, code := range refusals.Codes() {
		for _, sentence := range code.Sentences {
			if got := refusals.Find(code.Code, filled(sentence.Text)); got != sentence.Do {
				t.Errorf("%s: the fix of %q is %q, not %q", code.Code, filled(sentence.Text), got, sentence.Do)
			}
		}
	}
	for description, want := range map[string]string{
		"Invalid JWT: iat is 1800000000000, which looks like milliseconds: iat must be in seconds": "Math.floor",
		"Invalid JWT: act.practitioner.email must be an e-mail address":                            "§2.7",
		"Unable to obtain JWKS from https://a.example/?x=%s: the URL did not respond":              "outside your network",
		"Something of next year": "",
	} {
		if got := refusals.Find("unauthorized", description); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%q: %q", description, got)
		}
	}
	for _, rule := range []string{"endpoint-granted", "expired"} { // their names in a call's history
		if refusals.FindOf(rule, "unauthorized", "Something of next year") == "" {
			t.Errorf("refusals of %s have no fix", rule)
		}
	}
	if got := refusals.FindOf("", "patient-not-found", "Something of next year"); got != "" {
		t.Errorf("without a rule the fix is %q", got)
	}
}

// A sentence that no test asks for may be one that no call can receive.
func TestEverySentenceIsAskedForByATest_D92(t *testing.T) {
	t.Parallel()
	tests := textOfTests(t)
	for _, code := range refusals.Codes() {
		for _, sentence := range code.Sentences {
			within := strings.NewReplacer("(?s)", "", ".+?", `[^"`+"`"+`\n]+?`).Replace(refusals.Pattern(sentence.Text)) // a string of the test
			if !regexp.MustCompile(within).MatchString(tests) {
				t.Errorf("%s: no test asks for %q", code.Code, sentence.Text)
			}
		}
	}
}

// textOfTests is every test and scenario outside this package.
func textOfTests(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	tree := os.DirFS("../../../..")
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && name != "." || entry.Name() == "node_modules"):
			return fs.SkipDir
		case entry.IsDir() || path.Dir(name) == "cmd/frontdesk/devkit/refusals":
			return nil
		case strings.HasSuffix(name, "_test.go"), strings.HasSuffix(name, ".feature"):
			source, err := fs.ReadFile(tree, name)
			text.Write(source)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return text.String()
}
