package docs_test

import (
	"os"
	"regexp"
	"testing"

	"frontdesk"
)

// The program, the packages and the page that installs them have one version, that of VERSION.
func TestClientVersionsAgree_D159(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	version := frontdesk.Version()
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(version) {
		t.Errorf("VERSION says %q", version)
	}
	for name, says := range map[string]string{
		"client/go/version.go":                      `(?m)^const Version = "(.*)"$`,
		"client/python/frontdesk_client/version.py": `(?m)^__version__ = "(.*)"$`,
		"client/typescript/src/version.ts":          `(?m)^export const version = "(.*)";$`,
		"client/typescript/package.json":            `(?m)^  "version": "(.*)",$`,
		"docs/integrate/first-programs.md":          `client(?:[-_]|@v)(\d+\.\d+\.\d+)`,
	} {
		found := regexp.MustCompile(says).FindAllStringSubmatch(read(name), -1)
		if len(found) == 0 {
			t.Errorf("%s has no version", name)
		}
		for _, says := range found {
			if says[1] != version {
				t.Errorf("%s says %q, want %s", name, says, version)
			}
		}
	}
}
