//go:build prove

package features_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
)

// TestProveThatAllHoldsBehindPgBouncer runs the features with a pooler between
// the program and Postgres that lends connections for one transaction, set as
// docs/operations.md says. Only who asks about the past, and rebuilds, goes past it.
func TestProveThatAllHoldsBehindPgBouncer(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/operations.md")
	if err != nil || !strings.Contains(string(page), "`"+postgrestest.PooledMode+"`") {
		t.Errorf("docs/operations.md does not say what is proved here, %v", err)
	}
	files, err := filepath.Glob("*.feature")
	if err != nil || len(files) == 0 {
		t.Fatalf("feature files: %v, %v", files, err)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			db := postgrestest.New(t)
			db.URL = postgrestest.Pooled(t, db.URL)
			runFeature(t, file, db)
		})
	}
}
