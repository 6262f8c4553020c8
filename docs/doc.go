// Package docs holds the documentation and its tests. Tests of other packages type the
// commands of the operators' pages, which operators.go reads.
//
//   - the pages of integrate/ and audit/ are run, line by line, against a sandbox.
//   - the clients of client/, in three languages, call the same sandbox, through failures of
//     calls, keys and webhooks; their pages are run as well.
//   - integrate/followers.md is run against a broker, and its example in examples/follower is killed.
//   - safety/hazard-log.md is for clinical safety officers; each test that it names must exist, and
//     each hazard has an owner, a status and a version.
//   - privacy/ holds papers that practices and operators fill in; the tests, files and
//     commands that they name must exist.
//   - exports in FHIR are compared with HL7's schema, which testdata/fhir fetches.
//   - openapi.json is judged by the tools that testdata/openapi fetches: Redocly, Spectral,
//     and generators whose clients call the sandbox. `go test ./docs -run Webhooks
//     -sign-webhooks` signs its examples of webhooks again.
//   - vectors.json holds tokens and webhooks with the verdict on each, for other
//     implementations. `go test ./docs -run TestVectors -update-vectors` writes it, with new
//     throw-away keys.
//   - examples/python/verify_proof.py verifies proofs of the log. It shares the vectors of
//     domain/proof: leaves, notes, proofs and exports.
package docs
