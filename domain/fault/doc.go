// Package fault holds refusals: what a caller may be told.
//
// A rule that refuses returns an [*Error]: a kind, a code in kebab case and a sentence
// that says what to do. Each adapter turns kinds into its statuses or
// exit codes in one place. Any other error is shown to the operator alone.
package fault
