package docs_test

import (
	"os"
	"strings"
	"testing"
)

// A lock that names a registry would send every user to it.
func TestTheLockNamesNoRegistry(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"../client/typescript", "testdata/fhir", "testdata/openapi", "testdata/openapi/lint"} {
		lock, err := os.ReadFile(folder + "/package-lock.json")
		if err != nil || strings.Contains(string(lock), `"resolved"`) || !strings.Contains(string(lock), `"integrity"`) {
			t.Errorf("%s/package-lock.json names a registry, or no digests (%v): npm install --package-lock-only --omit-lockfile-registry-resolved", folder, err)
		}
	}
}
