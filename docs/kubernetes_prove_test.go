//go:build prove

package docs_test

import (
	"os/exec"
	"testing"
)

// `make lint` runs this, too. The checks are a module of their own, .ci/kubernetes.
func TestProveThatKubernetesTakesTheManifests_D112(t *testing.T) {
	t.Parallel()
	check := exec.CommandContext(t.Context(), "go", "-C", "../.ci/kubernetes", "test", "-count=1", "-timeout=30m", "./...")
	if said, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
}
