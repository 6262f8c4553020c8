//go:build prove

package docs_test

import (
	"os/exec"
	"strings"
	"testing"

	"frontdesk/adapters/provetest"
)

// `make lint` runs this, too. The checks are a module of their own, .ci/kubernetes.
func TestProveKubernetesTakesManifests_D112(t *testing.T) {
	t.Parallel()
	check := exec.CommandContext(t.Context(), "go", "-C", "../.ci/kubernetes", "test", "-count=1", "-v", "-timeout=30m", "./...")
	said, err := check.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, said)
	}
	provetest.Tried(t, strings.Count(string(said), "--- PASS: "), "checks")
}
