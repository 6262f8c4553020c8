// Package features is the specification in Gherkin, run against the real program: its
// own HTTP listener, a real Postgres, genuinely signed tokens. Only the clock is the
// tests'.
//
// Each scenario carries its clauses as tags: @5.2 is a section of the Transactional
// API, @D9 a decision. features/coverage.md lists them the other way round; `go test
// ./features -update-coverage` writes it.
//
// One feature file runs in one program with one database; its scenarios follow each
// other and keep to practices of their own.
package features
