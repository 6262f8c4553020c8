// Package docs is the documentation, and the tests that show that it holds. Tests of other
// packages type what the pages of operators say: they get it from operators.go.
//
//   - integrators.md, sandbox.md and auditors.md are run, line by line, against a sandbox.
//   - the clients of client/, in three languages, are put to the same sandbox, through
//     whatever befalls calls, keys and webhooks; their pages are run, too.
//   - followers.md is run against a broker, and its example in examples/follower is killed.
//   - safety.md is for clinical safety officers; each test that it names is looked up.
//   - what is exported as FHIR is compared with HL7's schema, which testdata/fhir fetches.
//   - openapi.json is judged by what testdata/openapi fetches: Redocly, Spectral, and
//     generators whose clients call the sandbox. `go test ./docs -run Webhooks
//     -sign-webhooks` signs its examples of webhooks anew.
//   - vectors.json is tokens and webhooks with the verdict on each, for whoever
//     implements the other side. `go test ./docs -run TestVectors
//     -update-vectors` writes it, with new throw-away keys.
//   - examples/python/verify_proof.py checks what the log proves. It shares vectors with
//     domain/proof, where they stand: leaves, notes, proofs and exports.
package docs
