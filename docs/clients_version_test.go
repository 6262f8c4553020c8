package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The packages have one version, that of VERSION.
func TestClientVersionsAgree_D159(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile("../client/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	version := strings.TrimSpace(read("VERSION"))
	for name, says := range map[string]string{
		"go/version.go":                      `(?m)^const Version = "(.*)"$`,
		"python/frontdesk_client/version.py": `(?m)^__version__ = "(.*)"$`,
		"typescript/src/version.ts":          `(?m)^export const version = "(.*)";$`,
		"typescript/package.json":            `(?m)^  "version": "(.*)",$`,
	} {
		found := regexp.MustCompile(says).FindAllStringSubmatch(read(name), -1)
		if len(found) != 1 || found[0][1] != version {
			t.Errorf("%s says %q, want %s", name, found, version)
		}
	}
}
