//go:build prove && !goexperiment.runtimesecret

package keyring_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"frontdesk/adapters/provetest"
)

// Built with GOEXPERIMENT=runtimesecret, a process leaves no copy of a key that it has
// forgotten.
func TestProveForgottenKeyLeavesMemory_D136(t *testing.T) { //nolint:paralleltest // it compiles the standard library
	test := exec.CommandContext(t.Context(), "go", "test", "-count=3", "-run", "^TestForgottenKeyLeavesMemory_D136$", "-v", ".")
	test.Env = append(os.Environ(), "GOEXPERIMENT=runtimesecret")
	out, err := test.CombinedOutput()
	if err != nil || strings.Contains(string(out), "--- SKIP") {
		t.Fatalf("%v:\n%s", err, out)
	}
	provetest.Tried(t, strings.Count(string(out), "--- PASS"), "times")
}
