// Package fault holds refusals, which are safe to show to a caller.
//
// A rule that refuses returns an [*Error]: a kind, a code in kebab case and a sentence
// on how the caller can go on. Each adapter maps kinds to its statuses or exit
// codes in one place. Any other error is only shown to the operator.
package fault
