//go:build prove

package features_test

import (
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/provetest"
	"frontdesk/docs"
)

// TestProveFeaturesBehindPgBouncer runs the features with a pooler between the
// program and Postgres that lends connections for one transaction, with the settings of
// docs/operate/proxies.md. Only queries about the past, and rebuilds, bypass it.
func TestProveFeaturesBehindPgBouncer(t *testing.T) {
	t.Parallel()
	if !strings.Contains(docs.OperatorsPages()["operate/proxies.md"], "`"+postgrestest.PooledMode+"`") {
		t.Error("docs/operate/proxies.md does not say what is proved here")
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
			provetest.Tried(t, 1, "features")
		})
	}
}
