//go:build walk

package docs_test

import "testing"

const python = "/usr/bin/python3" // Debian's, which has Debian's packages

const vectorsOfProofs = "../../../domain/proof/testdata/vectors.json"

// The verifier in Python gives each of the vectors the verdict of package proof's own tests,
// though it was written independently of them.
func TestWalkPythonProofVerifier_D79(t *testing.T) {
	t.Parallel()
	output(t, "", "examples/python", python, "-B", "test_verify_proof.py", vectorsOfProofs)
}
